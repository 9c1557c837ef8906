package dev.varve.bench.reliability;

import dev.varve.bench.http.ServerProcess;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The run of mixed requests; {@code bench/run.sh reliability} starts it. */
@Command(
        name = "bench/run.sh reliability",
        sortOptions = false,
        description = {
            "Sends mixed requests to a server with drafts, paging, a split in two processes, disk"
                    + " cache and several keys: streams, whole answers, clients that leave,"
                    + " requests that are cancelled; and kills its shard process now and then.",
            "Each complete answer is compared with that of a plain server, which is asked one"
                    + " request at a time. The exit status is 1 if an answer is wrong or a request"
                    + " failed while no process was missing."
        })
public final class ReliabilityRun implements Callable<Integer> {
    private static final Duration START_LIMIT = Duration.ofMinutes(5);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final List<String> KEYS = List.of("first-key", "second-key", "third-key");

    @Spec private CommandSpec spec;

    @Option(names = "--varve", required = true, paramLabel = "FILE", description = "The program.")
    private Path varve;

    @Option(
            names = "--model",
            paramLabel = "MODEL",
            defaultValue = "demo:qwen35",
            description =
                    "Model of both servers; repeatable, each request then names one of them."
                            + " Default: ${DEFAULT-VALUE}.")
    private List<String> models;

    @Option(
            names = "--requests",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Requests. Default: ${DEFAULT-VALUE}.")
    private int requests;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "8",
            description = "Clients at once. Default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--pool",
            paramLabel = "TOKENS",
            defaultValue = "512",
            description = "--kvflash of both servers; 0 for none. Default: ${DEFAULT-VALUE}.")
    private int pool;

    @Option(
            names = "--longest",
            paramLabel = "WORDS",
            defaultValue = "500",
            description = "Words of the longest prompt. Default: ${DEFAULT-VALUE}.")
    private int longest;

    @Option(
            names = "--kill-every",
            paramLabel = "N",
            defaultValue = "500",
            description =
                    "Requests between two kills of a shard process; 0 for none. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int killEvery;

    @Option(
            names = "--options",
            paramLabel = "OPTIONS",
            defaultValue = "",
            description = "Further options of the server under test.")
    private String options;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Makes prompts and draws. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private ReliabilityRun() {}

    /** Runs: 0 if all is well, 1 if a request failed or an answer is wrong, 2 for wrong usage. */
    public static void main(String... arguments) {
        Locale.setDefault(Locale.ROOT);
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        System.exit(new CommandLine(new ReliabilityRun()).setOut(out).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (requests < 1 || clients < 1 || pool < 0 || killEvery < 0 || longest < 20) {
            throw new ParameterException(
                    spec.commandLine(),
                    "expected --requests and --clients from 1, --longest from 20, --pool and"
                            + " --kill-every from 0");
        }
        Path folder = Files.createTempDirectory("varve-reliability");
        try (ScheduledExecutorService clock =
                        Executors.newSingleThreadScheduledExecutor(
                                Thread.ofPlatform().daemon(true).factory());
                HttpClient http =
                        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            Path keys = Files.writeString(folder.resolve("keys"), String.join("\n", KEYS) + "\n");
            Connector connector = (server, key) -> new Client(http, clock, server, key);
            List<Question> questions = Questions.of(seed, longest, names());
            List<Outcome.Complete> expected = expected(connector, questions, keys);
            return mixed(connector, new Mix(questions, expected, seed), folder, keys);
        } finally {
            delete(folder);
        }
    }

    /** Answers of a plain server: no drafts, no cache, one process, one request at a time. */
    private List<Outcome.Complete> expected(
            Connector connector, List<Question> questions, Path keys)
            throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        List<Outcome.Complete> answers = new ArrayList<>();
        try (ServerProcess server =
                ServerProcess.start(command(keys) + " --parallel 1 --draft off --cache-ram 0")) {
            Client client = connector.to(server.uri(), KEYS.getFirst());
            awaitHealth(server, client);
            for (Question question : questions) {
                switch (client.ask(question, Conduct.UNCACHED, 0)) {
                    case Outcome.Complete answer -> answers.add(answer);
                    case Outcome other ->
                            throw server.failure("the plain server's answer is " + other);
                }
            }
        }
        out.println(answers.size() + " answers of a plain server are known");
        return answers;
    }

    private int mixed(Connector connector, Mix mix, Path folder, Path keys)
            throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        String command =
                command(keys)
                        + " --parallel 4 --target-devices cpu:0,cpu:0@process --cache-ram 64M"
                        + " --kv-cache-dir "
                        + folder.resolve("cache")
                        + " "
                        + options;
        try (ServerProcess server = ServerProcess.start(command)) {
            List<Client> all = KEYS.stream().map(key -> connector.to(server.uri(), key)).toList();
            awaitHealth(server, all.getFirst());
            Traffic traffic = new Traffic(all, mix, server::children, out::println);
            try (ProcessLog log = ProcessLog.start(server)) {
                traffic.run(requests, clients, killEvery);
                log.summary().forEach(out::println);
            }
            out.println(traffic.summary());
            return traffic.isGood() ? 0 : 1;
        }
    }

    private List<String> names() {
        return IntStream.range(0, models.size()).mapToObj(number -> "model-" + number).toList();
    }

    private String command(Path keys) {
        List<String> names = names();
        return varve
                + " serve --port "
                + ServerProcess.PORT
                + IntStream.range(0, models.size())
                        .mapToObj(each -> " --model " + names.get(each) + "=" + models.get(each))
                        .collect(Collectors.joining())
                + " --threads 1 --max-ctx 4096 --no-page --log-level warning --api-key-file "
                + keys
                + (pool > 0 ? " --kvflash " + pool : "");
    }

    private static void awaitHealth(ServerProcess server, Client client)
            throws InterruptedException {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!client.isHealthy()) {
            if (System.nanoTime() - end > 0) {
                throw server.failure("the server was not ready in " + START_LIMIT);
            }
            server.pause(LOOK);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
