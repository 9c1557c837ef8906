package dev.varve.platform.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints the script with which a shell completes commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints a script with which bash or zsh completes the commands and options of varve.",
            "The installation contains it for bash in share/bash-completion/completions/varve."
        },
        customSynopsis = "varve completion [bash|zsh]",
        footer = {
            "  source <(varve completion bash)                     for this shell",
            "  varve completion bash > ~/.local/share/bash-completion/completions/varve",
            "  varve completion zsh >> ~/.zshrc"
        })
final class CompletionCommand extends CliCommand {
    /** Shells that read the script; zsh uses its emulation of bash's completion. */
    enum Shell {
        BASH,
        ZSH
    }

    @Parameters(
            paramLabel = "SHELL",
            arity = "0..1",
            defaultValue = "bash",
            description = "bash or zsh; the script is the same for both.")
    private Shell shell;

    @Override
    int run() {
        out().print(AutoComplete.bash("varve", commandLine()));
        out().flush();
        return 0;
    }
}
