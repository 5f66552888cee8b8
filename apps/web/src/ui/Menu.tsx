import { clsx } from 'clsx'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

type MenuProps = { trigger: ReactNode; label: string; align?: 'start' | 'end'; children: ReactNode }

/** A menu of actions. The trigger is one button. */
export function Menu({ trigger, label, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 overflow-y-auto rounded-lg bg-raised p-1 text-ink shadow-raised"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 text-start outline-none select-none data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint'

type ItemProps = { onSelect?(): void; icon?: ReactNode; danger?: boolean; disabled?: boolean; children: ReactNode }

export function MenuItem({ onSelect, icon, danger = false, disabled = false, children }: ItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      {...(onSelect && { onSelect })}
      className={clsx(ITEM, danger && 'text-invalid [&_svg]:text-current!')}
    >
      {icon}
      {children}
    </Radix.Item>
  )
}

/** A menu item that is a link. */
export function MenuLink({ children }: { children: ReactNode }) {
  return (
    <Radix.Item asChild className={ITEM}>
      {children}
    </Radix.Item>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2.5 py-1.5 text-xs text-faint">{children}</Radix.Label>
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />
}

export function MenuChoices({
  value,
  onChange,
  children,
}: {
  value: string
  onChange(value: string): void
  children: ReactNode
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange}>
      {children}
    </Radix.RadioGroup>
  )
}

export function MenuChoice({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Radix.RadioItem value={value} className={clsx(ITEM, 'data-[state=checked]:font-medium')}>
      <span className="grid size-4 place-items-center" aria-hidden="true">
        <Radix.ItemIndicator className="size-2 rounded-full bg-accent" />
      </span>
      {children}
    </Radix.RadioItem>
  )
}
