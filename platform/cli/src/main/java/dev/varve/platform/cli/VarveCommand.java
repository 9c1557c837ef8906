package dev.varve.platform.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The command without a subcommand; shows the help. */
@Command(
        name = "varve",
        addMethodSubcommands = false,
        mixinStandardHelpOptions = true,
        versionProvider = VersionText.class,
        description = "Serves large language models from GGUF files over an OpenAI-compatible API.",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  varve serve                                         serve a demo model",
            "  varve serve --hf Qwen/Qwen3-0.6B-GGUF:Q8_0          download and serve a model",
            "  varve serve --model model.gguf                      serve at 127.0.0.1:8080",
            "  varve chat model.gguf                               chat in the terminal",
            "  varve generate --model model.gguf --prompt 'Hello'  continue a text",
            "  varve bench --model model.gguf                      measure prefill and decode",
            "  varve COMMAND --help                                show the help of a command",
            "",
            "Exit status: 0 success, 1 failure, 2 wrong usage, 143 after SIGTERM, 130 after",
            "Ctrl-C."
        })
final class VarveCommand implements Runnable {
    /** Subcommands in the order in which help lists them. */
    private static final Map<String, Class<?>> COMMANDS = commands();

    /** Commands that show the options of others. */
    private static final Set<String> DESCRIBE_ALL = Set.of("help", "completion", "man");

    private final Environment environment;

    @Spec private CommandSpec spec;

    private VarveCommand(Environment environment) {
        this.environment = environment;
    }

    private static Map<String, Class<?>> commands() {
        Map<String, Class<?>> commands = new LinkedHashMap<>();
        commands.put("serve", ServeCommand.class);
        commands.put("chat", ChatCommand.class);
        commands.put("shard", ShardCommand.class);
        commands.put("generate", GenerateCommand.class);
        commands.put("bench", BenchCommand.class);
        commands.put("plan", PlanCommand.class);
        commands.put("devices", DevicesCommand.class);
        commands.put("check", CheckCommand.class);
        commands.put("models", ModelsCommand.class);
        commands.put("pull", PullCommand.class);
        commands.put("rm", RmCommand.class);
        commands.put("plugins", PluginsCommand.class);
        commands.put("cache", CacheCommand.class);
        commands.put("inspect", InspectCommand.class);
        commands.put("tokenize", TokenizeCommand.class);
        commands.put("render", RenderCommand.class);
        commands.put("compress", CompressCommand.class);
        commands.put("grammar", GrammarCommand.class);
        commands.put("logits", LogitsCommand.class);
        commands.put("completion", CompletionCommand.class);
        commands.put("man", ManCommand.class);
        commands.put("help", HelpCommand.class);
        commands.put("warm-up", AotTrainingRunCommand.class);
        return commands;
    }

    /** Names of all subcommands, including hidden ones. */
    static Set<String> names() {
        return COMMANDS.keySet();
    }

    /**
     * Creates the command line with all subcommands, which writes to {@code out} and {@code err}.
     */
    static CommandLine commandLine(Environment environment, PrintWriter out, PrintWriter err) {
        return commandLine(environment, out, err, COMMANDS.values());
    }

    /**
     * Runs a command. Reading the options of all commands costs 0.15 s of every start, so only the
     * named command is read, except by commands that describe all. Without a command only names and
     * descriptions are read.
     *
     * @return the exit status
     */
    static int execute(
            Environment environment, PrintWriter out, PrintWriter err, String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        if (DESCRIBE_ALL.contains(first)) {
            return commandLine(environment, out, err).execute(arguments);
        }
        if (COMMANDS.containsKey(first)) {
            return commandLine(environment, out, err, List.of(COMMANDS.get(first)))
                    .execute(arguments);
        }
        CommandLine line = commandLine(environment, out, err, List.of());
        COMMANDS.forEach((name, command) -> line.addSubcommand(name, summary(name, command)));
        return line.execute(arguments);
    }

    /** Name and description of a command, without options. */
    private static CommandSpec summary(String name, Class<?> command) {
        Command annotation = command.getAnnotation(Command.class);
        CommandSpec summary = CommandSpec.create().name(name);
        summary.usageMessage()
                .description(annotation.description())
                .header(annotation.header())
                .hidden(annotation.hidden());
        if (command == HelpCommand.class) {
            describeHelp(summary);
        }
        return summary;
    }

    /** Replaces the texts of the library's command. */
    private static void describeHelp(CommandSpec help) {
        help.usageMessage().header(new String[0]).description("Shows the help of a command.");
    }

    private static CommandLine commandLine(
            Environment environment,
            PrintWriter out,
            PrintWriter err,
            Collection<Class<?>> commands) {
        CommandLine line = new CommandLine(new VarveCommand(environment));
        commands.forEach(line::addSubcommand);
        HelpSections.install(line);
        for (CommandLine command : line.getSubcommands().values()) {
            HelpSections.install(command);
            if (command.getCommand() instanceof HelpCommand) {
                describeHelp(command.getCommandSpec());
            }
            EnumConverter.register(command);
        }
        return line.setOut(out)
                .setErr(err)
                .setUsageHelpWidth(HelpText.WIDTH)
                .setUsageHelpAutoWidth(false)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler(new ErrorReport())
                .setExecutionExceptionHandler(new ErrorReport());
    }

    Environment environment() {
        return environment;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "expected a command, found none; varve --help lists the commands");
    }
}
