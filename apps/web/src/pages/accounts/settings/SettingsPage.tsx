import { Outlet, useLocation } from '@tanstack/react-router'
import { LinkTabs } from '../../../shell/LinkTabs.tsx'
import { SETTINGS_PAGES } from '../../../shell/section-pages.ts'
import { Page } from '../../../ui/Page.tsx'

/** The layout of all settings: a side navigation on wide screens, tabs on narrow ones. */
export function SettingsPage() {
  const { pathname } = useLocation()
  const page = SETTINGS_PAGES.find(({ to }) => pathname.endsWith(to))
  return (
    <Page title={page ? `${page.label} · Settings` : 'Settings'} heading="Settings">
      <div className="flex flex-col gap-6 lg:grid lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-10">
        <LinkTabs label="Settings" pages={SETTINGS_PAGES} open={page?.to} isVertical />
        <div className="flex min-w-0 max-w-3xl flex-col gap-6">
          <Outlet />
        </div>
      </div>
    </Page>
  )
}
