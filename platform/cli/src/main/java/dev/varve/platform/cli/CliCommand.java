package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.host.CacheSharingSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** What all subcommands share: help, logging, and where the output goes. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = VersionText.class,
        showDefaultValues = true,
        sortOptions = false,
        descriptionHeading = "%n",
        optionListHeading = "",
        footerHeading = "%nExamples:%n")
abstract class CliCommand implements Callable<Integer> {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @Spec private CommandSpec spec;

    @ParentCommand private VarveCommand parent;

    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description = "What to log on stderr: ${COMPLETION-CANDIDATES}.",
            order = 900)
    private LogLevel logLevel = LogLevel.INFO;

    @Option(
            names = "--debug",
            description = "Show a stack trace with an error.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = 901)
    private boolean debug;

    @Override
    public final Integer call() throws Exception {
        LogSetup.configure(logLevel);
        if (endsInOrder()) {
            return run();
        }
        // A process that exits while a native thread computes may crash on its way out.
        ShutdownHook guard = ShutdownHook.prepare(Thread.currentThread()::interrupt, STOP_LIMIT);
        guard.arm();
        try {
            return run();
        } finally {
            guard.close();
        }
    }

    /**
     * Whether the command looks after SIGTERM and Ctrl-C itself; else its thread is interrupted.
     */
    boolean endsInOrder() {
        return false;
    }

    /** Does the work and returns the exit status. */
    abstract int run() throws Exception;

    /** What was given on the command line. */
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

    /** The model to use; tells people if it is a toy. */
    final ModelChoice choose(ModelOption option) {
        ModelChoice choice = option.choose(environment());
        choice.notes(spec.qualifiedName()).forEach(this::say);
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
            return HostedModel.open(store().map(host::with).orElse(host).with(sharing()), report);
        }
    }

    /** Whether the draft model of a demo model is used without being asked for; here it is. */
    boolean usesUsualDraft() {
        return true;
    }

    /** Where computed prompts are kept on disk; here nowhere. */
    Optional<StoreSettings> store() {
        return Optional.empty();
    }

    /** What is shared of computed prompts; here nothing. */
    CacheSharingSettings sharing() {
        return CacheSharingSettings.NONE;
    }

    /** How prompts become shorter; here they do not. */
    Optional<CompressionSettings> compression() {
        return Optional.empty();
    }

    /** Looks at the model before its devices are; here at nothing. */
    void checkModel(GgufFile file, Tokenizer tokenizer) {}

    /** All that is cheap to check was checked, and the weights come next; here nothing happens. */
    void loading() {}

    /**
     * Tells how the model is spread over its devices if there are several, and how much host memory
     * is kept for computed prompts.
     */
    void showPlan(SplitMemoryPlan plan, List<String> reasons) {
        if (plan.parts().size() > 1) {
            reasons.forEach(this::say);
            plan.parts().forEach(part -> say(describe(part)));
        }
        plan.describeReplicas().ifPresent(this::say);
        if (plan.hostCache().isPresent()) {
            say(plan.hostCache().describe());
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

    /** One line on stderr, for people. */
    final void say(String text) {
        err().println("varve: " + text);
        err().flush();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
