package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/** The command without a subcommand; shows the help. */
@Command(
        name = "varve",
        mixinStandardHelpOptions = true,
        versionProvider = VersionText.class,
        description = "Serves large language models from GGUF files over an OpenAI-compatible API.",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  varve serve                                         try it with a toy model",
            "  varve serve --model model.gguf                      serve on http://127.0.0.1:8080",
            "  varve generate --model model.gguf --prompt 'Hello'  continue a text",
            "  varve bench --model model.gguf                      measure prefill and decode",
            "  varve COMMAND --help                                explain a command",
            "",
            "Exit status: 0 success, 1 failure, 2 wrong usage, 143 after SIGTERM, 130 after Ctrl-C."
        },
        subcommands = {
            ServeCommand.class,
            ShardCommand.class,
            GenerateCommand.class,
            BenchCommand.class,
            PlanCommand.class,
            DevicesCommand.class,
            ModelsCommand.class,
            PluginsCommand.class,
            InspectCommand.class,
            TokenizeCommand.class,
            RenderCommand.class,
            LogitsCommand.class,
            CompletionCommand.class,
            HelpCommand.class,
            WarmUpCommand.class
        })
final class VarveCommand implements Runnable {
    private final Environment environment;

    @Spec private CommandSpec spec;

    private VarveCommand(Environment environment) {
        this.environment = environment;
    }

    /** The command line with all subcommands, writing to {@code out} and {@code err}. */
    static CommandLine commandLine(Environment environment, PrintWriter out, PrintWriter err) {
        CommandLine line = new CommandLine(new VarveCommand(environment));
        line.getSubcommands().values().forEach(VarveCommand::prepareHelp);
        return line.setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(110)
                .setUsageHelpAutoWidth(false)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler(new ErrorReport())
                .setExecutionExceptionHandler(new ErrorReport());
    }

    private static void prepareHelp(CommandLine command) {
        hideEmptyDefaults(command);
        command.getHelpSectionMap()
                .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OptionSections());
    }

    /** Help shows no default where none is set. */
    private static void hideEmptyDefaults(CommandLine command) {
        CommandSpec commandSpec = command.getCommandSpec();
        for (OptionSpec option : List.copyOf(commandSpec.options())) {
            boolean empty =
                    Optional.empty().equals(option.initialValue())
                            || List.of().equals(option.initialValue());
            if (empty && option.defaultValue() == null) {
                commandSpec.remove(option);
                commandSpec.addOption(
                        OptionSpec.builder(option).showDefaultValue(Visibility.NEVER).build());
            }
        }
    }

    Environment environment() {
        return environment;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "a command is missing; varve --help lists them");
    }
}
