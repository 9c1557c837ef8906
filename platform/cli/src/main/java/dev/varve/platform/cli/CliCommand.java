package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Base of all subcommands: help, logging and output. */
@Command(
        addMethodSubcommands = false,
        mixinStandardHelpOptions = true,
        versionProvider = VersionText.class,
        sortOptions = false,
        descriptionHeading = "%n",
        optionListHeading = "",
        footerHeading = "%nExamples:%n")
abstract class CliCommand implements Callable<Integer> {
    private static final System.Logger LOG = System.getLogger("dev.varve.cli");
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;

    @ParentCommand private VarveCommand parent;

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description =
                    "Least level of log lines, on stderr. off, error, warning, info, debug or"
                            + " trace.",
            order = 900)
    private LogLevel logLevel;

    @Option(names = "--debug", description = "Print a stack trace with each error.", order = 901)
    private boolean debug;

    CliCommand() {
        this(LogLevel.INFO);
    }

    /**
     * @param usual level of the log without {@code --log-level}
     */
    CliCommand(LogLevel usual) {
        logLevel = usual;
    }

    @Override
    public final Integer call() throws Exception {
        Optional<LogArguments> log = log();
        log.ifPresent(arguments -> arguments.check(parsed()));
        log.ifPresentOrElse(
                arguments -> LogSetup.configure(logLevel, arguments),
                () -> LogSetup.configure(logLevel));
        try {
            checkArguments();
            pullMissingModels();
            return endsInOrder() ? run() : runInterruptibly();
        } catch (Exception e) {
            if (log.filter(arguments -> !isPlain(arguments)).isPresent()) {
                // Also in the log: nobody may see the terminal.
                LOG.log(System.Logger.Level.ERROR, "the server ends: " + ErrorReport.describe(e));
            }
            throw e;
        }
    }

    private int runInterruptibly() throws Exception {
        // A process that exits while a native thread computes may crash.
        ShutdownHook guard = ShutdownHook.prepare(Thread.currentThread()::interrupt, STOP_LIMIT);
        guard.arm();
        try {
            return run();
        } finally {
            guard.close();
        }
    }

    /** Downloads the models that options name, unless they are on this disk. */
    private void pullMissingModels() throws InterruptedException {
        List<ModelReference> named =
                spec.args().stream()
                        .map(ArgSpec::<Object>getValue)
                        .flatMap(CliCommand::values)
                        .filter(ModelReference.class::isInstance)
                        .map(ModelReference.class::cast)
                        .map(NamedModel::reference)
                        .toList();
        if (named.size() > 1 && !acceptsSeveralModels()) {
            throw new UsageException("--model: expected one model, found " + named.size());
        }
        ModelDownloads downloads = new ModelDownloads(environment(), err());
        for (ModelReference each : named) {
            downloads.pullMissing(each);
        }
    }

    private static Stream<?> values(Object value) {
        return switch (value) {
            case List<?> several -> several.stream();
            case Optional<?> one -> one.stream();
            case null, default -> Stream.empty();
        };
    }

    /** Checks the arguments before a model is downloaded; no check by default. */
    void checkArguments() {}

    /** Whether several models may be named; false by default. */
    boolean acceptsSeveralModels() {
        return false;
    }

    /**
     * Whether the command handles SIGTERM and Ctrl-C itself; otherwise its thread is interrupted.
     */
    boolean endsInOrder() {
        return false;
    }

    /** Options of the log of a command that is a server; none by default. */
    Optional<LogArguments> log() {
        return Optional.empty();
    }

    private static boolean isPlain(LogArguments arguments) {
        return arguments.format() == LogFormat.TEXT && !arguments.isToFile();
    }

    /** Runs the command and returns the exit status. */
    abstract int run() throws Exception;

    /** Parsed command line. */
    final ParseResult parsed() {
        return spec.commandLine().getParseResult();
    }

    final boolean debug() {
        return debug;
    }

    /** The command line with all commands. */
    final CommandLine commandLine() {
        return spec.root().commandLine();
    }

    final Environment environment() {
        return parent.environment();
    }

    /** Returns the model to use; prints a note if it is a demo model. */
    final ModelChoice choose(ModelOption option) {
        ModelChoice choice = option.choose(environment());
        choice.notes(spec.qualifiedName()).forEach(this::printMessage);
        return choice;
    }

    /** Loads a model; shows progress where stderr is a terminal. */
    final HostedModel open(ModelLoadArguments arguments, ModelSettings settings) {
        choose(arguments.model());
        try (ProgressBar bar = ProgressBar.of(err(), environment(), "loading")) {
            ModelLoadListener report =
                    new ModelLoadLog(arguments) {
                        @Override
                        public void loaded(long done, long total) {
                            bar.show(done, total);
                        }

                        @Override
                        public void opened(GgufFile file, Tokenizer tokenizer) {
                            checkModel(file, tokenizer);
                        }

                        @Override
                        public void planned(SplitMemoryPlan plan, List<String> reasons) {
                            showPlan(plan, reasons);
                            loading();
                        }
                    };
            HostSettings host =
                    arguments.host(settings, environment(), usesUsualDraft(), compression());
            HostSettings keeping = store().map(host::with).orElse(host);
            return HostedModel.open(
                    keeping.with(sharing()).withAdapterFolders(adapterFolders()), report);
        }
    }

    /** Whether the draft model of a demo model is used without {@code --draft}; true by default. */
    boolean usesUsualDraft() {
        return true;
    }

    /** Settings of the disk store of cached prefixes; none by default. */
    Optional<StoreSettings> store() {
        return Optional.empty();
    }

    /** Settings of the sharing of cached prefixes; nothing is shared by default. */
    ClusterCacheSettings sharing() {
        return ClusterCacheSettings.NONE;
    }

    /** Folders of adapters that may be added while the model runs; none by default. */
    List<Path> adapterFolders() {
        return List.of();
    }

    /** Settings of prompt compression; none by default. */
    Optional<CompressionSettings> compression() {
        return Optional.empty();
    }

    /** Checks the model before its devices are opened; no check by default. */
    void checkModel(GgufFile file, Tokenizer tokenizer) {}

    /** Called after all cheap checks and before the weights are loaded; does nothing by default. */
    void loading() {}

    /**
     * Prints how the model is split over its devices if there are several, and how much host memory
     * is reserved for cached prefixes.
     */
    void showPlan(SplitMemoryPlan plan, List<String> reasons) {
        if (plan.parts().size() > 1) {
            reasons.stream().map(FlagNames.FLAGS::render).forEach(this::printMessage);
            plan.parts().forEach(part -> printMessage(describe(part)));
        }
        plan.describeReplicas().ifPresent(this::printMessage);
        if (plan.hostCache().isPresent()) {
            printMessage(plan.hostCache().describe());
        }
    }

    private static String describe(SplitMemoryPlan.Part part) {
        LayerRange layers = part.where().range();
        String which =
                layers.size() == 1
                        ? "layer " + layers.begin()
                        : String.format(
                                Locale.ROOT, "layers %d to %d", layers.begin(), layers.end() - 1);
        return part.memory().describe(which + " on " + part.where().device());
    }

    /**
     * Prints one line on stderr, for the user, without control characters. A server logs it instead
     * where no user reads stderr, and also where the log goes to a file.
     */
    final void printMessage(String text) {
        printMessage(System.Logger.Level.INFO, text);
    }

    /** Prints or logs a line with a level. */
    final void printMessage(System.Logger.Level level, String text) {
        Optional<LogArguments> log = log();
        boolean isShown =
                log.isEmpty()
                        || log.get().isToFile()
                        || isPlain(log.get())
                                && environment().terminals().contains(Environment.Stream.ERR);
        if (isShown) {
            err().println("varve: " + ControlCharacters.remove(text));
            err().flush();
        }
        if (!isShown || log.filter(LogArguments::isToFile).isPresent()) {
            LOG.log(level, text);
        }
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
