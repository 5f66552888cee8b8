import { Argument, type Command } from 'commander'
import { SHELLS, type Shell, writeCompletion } from '../output/completion.ts'
import { createAction, type Run, type Stage } from '../run.ts'
import { addExamples } from './options.ts'

export function addCompletion(program: Command, stage: Stage): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands and flags in a shell.')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
  command.action(
    createAction(stage, async ({ output }: Run, _flags, shell: Shell) =>
      output.writeOne({ shell, script: writeCompletion(program, shell) }, ({ script }) => script),
    ),
  )
  addExamples(command, [
    ['source <(probity completion bash)', 'In ~/.bashrc.'],
    ['source <(probity completion zsh)', 'In ~/.zshrc, after compinit.'],
    ['probity completion fish | source', 'In ~/.config/fish/config.fish.'],
  ])
}
