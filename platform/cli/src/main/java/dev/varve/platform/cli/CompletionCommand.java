package dev.varve.platform.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints the script with which a shell completes commands and options. */
@Command(
        name = "completion",
        addMethodSubcommands = false,
        description = {
            "Prints a script with which a shell completes commands.",
            "It completes commands, options, and values such as the names of models. The"
                + " installation contains the scripts: share/bash-completion/completions/varve,"
                + " share/zsh/site-functions/_varve, share/fish/vendor_completions.d/varve.fish."
        },
        customSynopsis = "varve completion [bash|zsh|fish]",
        footer = {
            "  source <(varve completion bash)                     for this shell",
            "  varve completion bash > ~/.local/share/bash-completion/completions/varve",
            "  varve completion zsh > ~/.zsh/completions/_varve    a folder of fpath",
            "  varve completion fish > ~/.config/fish/completions/varve.fish"
        })
final class CompletionCommand extends CliCommand {
    /** Shells that have a script. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Parameters(
            paramLabel = "SHELL",
            arity = "0..1",
            defaultValue = "bash",
            description = "bash, zsh or fish.")
    private Shell shell;

    @Override
    int run() {
        out().print(new CompletionScript(commandLine()).of(shell));
        out().flush();
        return 0;
    }
}
