import { Argument, type Command } from 'commander'
import { SHELLS, type Shell, writeCompletion } from '../output/completion.ts'
import { addExamples } from './options.ts'

type Print = (text: string) => void

export function addCompletion(program: Command, print: Print): void {
  const command = program
    .command('completion')
    .description('Print what makes a shell complete the commands and flags of probity.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell) => print(writeCompletion(program, shell)))
  addExamples(command, [
    ['source <(probity completion bash)', 'In ~/.bashrc.'],
    ['source <(probity completion zsh)', 'In ~/.zshrc, after compinit.'],
    ['probity completion fish | source', 'In ~/.config/fish/config.fish.'],
  ])
}
