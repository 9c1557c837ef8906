package dev.varve.bench.http;

import dev.varve.bench.http.stream.ServerFailure;
import dev.varve.bench.http.stream.Target;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The benchmark over HTTP; {@code bench/run.sh http} starts it. */
@Command(
        name = "bench/run.sh http",
        customSynopsis = {
            "Usage: bench/run.sh http --server URL [--peer URL] [options]",
            "       bench/run.sh http --scenario first --command COMMAND [options]"
        },
        synopsisHeading = "",
        sortOptions = false,
        descriptionHeading = "%n",
        optionListHeading = "%n",
        footerHeading = "%nExamples:%n",
        description = {
            "Measures what clients of a server with OpenAI's API see: tokens per second, time to"
                    + " the first token, and gaps between tokens.",
            "With --peer a second server is measured in turn, and the ratio of both is shown. A"
                    + " warm-up round comes first and is not counted.",
            "The exit status is 1 if a request failed; its scenario ends with the rounds before."
                    + " docs/performance.md tells what each figure means."
        },
        footer = {
            "  bench/run.sh http --server http://127.0.0.1:8080",
            "  bench/run.sh http --server http://127.0.0.1:8080 --peer http://127.0.0.1:8081",
            "  bench/run.sh http --server http://127.0.0.1:8080 --scenario conversation --turns 10",
            "  bench/run.sh http --server http://127.0.0.1:8080 --scenario curve --json",
            "  bench/run.sh http --scenario first --command 'varve serve --port {port}'"
        })
public final class HttpBench implements Callable<Integer> {
    private static final int FAILED = 1;

    /** One thread reads from the selector while another processes the data. */
    private static final int NETWORK_THREADS = 2;

    @Spec private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Server to measure, such as http://127.0.0.1:8080.")
    private Optional<String> server = Optional.empty();

    @Option(
            names = "--peer",
            paramLabel = "URL",
            description = "Server to compare with: measured in turn with --server.")
    private Optional<String> peer = Optional.empty();

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            description =
                    "What to measure, with commas: ${COMPLETION-CANDIDATES}. Without it clients,"
                            + " long and turn, and first with --command. clients: streams at once."
                            + " long: a long prompt beside a stream. turn: chats one after the"
                            + " other. conversation: one chat of several turns. first: from the"
                            + " start of a process to its first answer. curve: 1 to 32 clients.")
    private List<Scenario> scenarios = new ArrayList<>();

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "Streams at once. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--turns",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Chats of a round of turn, turns of the chat of conversation. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int turns;

    @Option(
            names = "--tokens",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "New tokens of an answer; of conversation the most. Default: ${DEFAULT-VALUE}.")
    private int tokens;

    @Option(
            names = "--prompt-tokens",
            paramLabel = "N",
            defaultValue = "64",
            description = "About the tokens of a prompt. Default: ${DEFAULT-VALUE}.")
    private int promptTokens;

    @Option(
            names = "--long-tokens",
            paramLabel = "N",
            defaultValue = "2000",
            description = "About the tokens of the long prompt of long. Default: ${DEFAULT-VALUE}.")
    private int longTokens;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            defaultValue = "9",
            description =
                    "Rounds of each scenario; medians over them are shown. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int pairs;

    @Option(
            names = "--command",
            paramLabel = "COMMAND",
            description = "For first: a shell's command that starts a server on port {port}.")
    private Optional<String> command = Optional.empty();

    @Option(
            names = "--peer-command",
            paramLabel = "COMMAND",
            description = "For first: the server to compare with.")
    private Optional<String> peerCommand = Optional.empty();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "Starts of each --command. Default: ${DEFAULT-VALUE}.")
    private int runs;

    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "Model to ask for; without it the first that a server lists.")
    private Optional<String> model = Optional.empty();

    @Option(names = "--api-key", paramLabel = "KEY", description = "Key for --server.")
    private Optional<String> apiKey = Optional.empty();

    @Option(names = "--peer-api-key", paramLabel = "KEY", description = "Key for --peer.")
    private Optional<String> peerApiKey = Optional.empty();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "Makes the prompts. Without it every run gets others, so that no cache of an"
                            + " earlier run answers; the seed is told.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--settle",
            paramLabel = "MILLIS",
            defaultValue = "400",
            description = "Pause before each measurement. Default: ${DEFAULT-VALUE}.")
    private int settle;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description =
                    "Longest time of one answer, and of the start of a --command. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int timeout;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private HttpBench() {}

    /** Runs the benchmark: 0 for success, 1 if a request failed, 2 for wrong usage. */
    public static void main(String... arguments) {
        // For the libraries; our own code never asks for the user's locale.
        Locale.setDefault(Locale.ROOT);
        PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int status = run(out, err, arguments);
        out.flush();
        err.flush();
        System.exit(status);
    }

    /** As {@link #main}, in this process. */
    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        return new CommandLine(new HttpBench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(out)
                .setErr(err)
                .execute(arguments);
    }

    @Override
    public Integer call() throws InterruptedException {
        BenchPlan plan = plan();
        PrintWriter out = spec.commandLine().getOut();
        Failures report =
                new Failures(
                        spec.commandLine().getErr(),
                        json ? new JsonReport(out) : new TextReport(out));
        try (ExecutorService threads =
                        Executors.newFixedThreadPool(
                                NETWORK_THREADS, Thread.ofPlatform().daemon().factory());
                HttpClient http =
                        HttpClient.newBuilder()
                                .version(HttpClient.Version.HTTP_1_1)
                                .executor(threads)
                                .build()) {
            try {
                new Benchmark(http, plan, report).run();
            } catch (ServerFailure e) {
                report.failed(e.getMessage());
            } finally {
                http.shutdownNow();
            }
        }
        report.end();
        return report.any() ? FAILED : 0;
    }

    private BenchPlan plan() {
        atLeast(1, "--clients", clients);
        atLeast(1, "--turns", turns);
        atLeast(1, "--tokens", tokens);
        atLeast(1, "--prompt-tokens", promptTokens);
        atLeast(1, "--long-tokens", longTokens);
        atLeast(1, "--pairs", pairs);
        atLeast(1, "--runs", runs);
        atLeast(0, "--settle", settle);
        atLeast(1, "--timeout", timeout);
        checkKey("--api-key", apiKey);
        checkKey("--peer-api-key", peerApiKey);
        BenchPlan plan =
                new BenchPlan(
                        targets(),
                        commands(),
                        scenarios.isEmpty() ? usualScenarios() : scenarios,
                        new Workload(
                                clients,
                                turns,
                                new Workload.Sizes(tokens, promptTokens, longTokens)),
                        new BenchPlan.Repeats(
                                pairs,
                                runs,
                                Duration.ofMillis(settle),
                                Duration.ofSeconds(timeout),
                                seed.orElseGet(System::currentTimeMillis)));
        if (plan.needsServer() && server.isEmpty()) {
            throw wrong("--server is missing; only --scenario first needs none");
        }
        if (plan.scenarios().contains(Scenario.FIRST) && command.isEmpty()) {
            throw wrong("--command is missing, which --scenario first starts");
        }
        return plan;
    }

    private List<Scenario> usualScenarios() {
        List<Scenario> usual =
                new ArrayList<>(List.of(Scenario.CLIENTS, Scenario.LONG, Scenario.TURN));
        if (command.isPresent()) {
            usual.add(Scenario.FIRST);
        }
        return usual;
    }

    private List<Target> targets() {
        if (peer.isPresent() && server.isEmpty()) {
            throw wrong("--peer needs a --server to be compared with");
        }
        List<Target> targets = new ArrayList<>();
        server.ifPresent(url -> targets.add(target("--server", url, apiKey)));
        peer.ifPresent(url -> targets.add(target("--peer", url, peerApiKey)));
        return targets;
    }

    private Target target(String flag, String url, Optional<String> key) {
        try {
            return Target.parse(url, key).withModel(model);
        } catch (IllegalArgumentException e) {
            throw wrong(flag + ": " + e.getMessage());
        }
    }

    private List<Launch> commands() {
        if (peerCommand.isPresent() && command.isEmpty()) {
            throw wrong("--peer-command needs a --command to be compared with");
        }
        List<Launch> commands = new ArrayList<>();
        command.ifPresent(line -> commands.add(launch("--command", line, apiKey)));
        peerCommand.ifPresent(line -> commands.add(launch("--peer-command", line, peerApiKey)));
        return commands;
    }

    private Launch launch(String flag, String line, Optional<String> key) {
        if (!line.contains(ServerProcess.PORT)) {
            throw wrong(flag + ": expected " + ServerProcess.PORT + " in the command: " + line);
        }
        return new Launch(line, model, key);
    }

    /** The HTTP client would show a key that it refuses. */
    private void checkKey(String flag, Optional<String> key) {
        if (key.isPresent() && !key.get().matches("[!-~]+")) {
            throw wrong(flag + ": expected visible ASCII characters");
        }
    }

    private void atLeast(int least, String flag, int value) {
        if (value < least) {
            throw wrong(flag + ": expected " + least + " or more, found " + value);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
