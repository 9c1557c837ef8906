package dev.varve.bench.fleet;

import dev.varve.bench.http.Prompts;
import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.ServerFailure;
import dev.varve.bench.http.stream.Target;
import dev.varve.fleet.Fleet;
import dev.varve.fleet.FleetOptions;
import dev.varve.fleet.RoutingPolicy;
import dev.varve.fleet.Sessions;
import dev.varve.fleet.Turn;
import dev.varve.fleet.Workload;
import dev.varve.fleet.WorkloadShape;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Sends a workload to servers and simulates it; {@code bench/run.sh fleet} starts it. */
@Command(
        name = "bench/run.sh fleet",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        description = {
            "Measures the steps of idle servers, sends them chats whose sessions stay on a server,"
                    + " simulates the same chats, and prints the deviation.",
            "The servers need processors of their own, equal models and flags, and no other load."
        })
public final class FleetReplay implements Callable<Integer> {
    private static final int FAILED = 1;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--server",
            required = true,
            paramLabel = "URL",
            description = "A server; once for each.")
    private List<String> servers = List.of();

    @Option(
            names = "--requests",
            defaultValue = "100",
            description = "Number of requests. Default: ${DEFAULT-VALUE}.")
    private int requests;

    @Option(
            names = "--load",
            defaultValue = "0.5",
            description =
                    "Offered load, relative to servers that compute without a pause. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double load;

    @Option(
            names = "--divide-lengths",
            defaultValue = "40",
            description = "Divisor of the lengths of conversations. Default: ${DEFAULT-VALUE}.")
    private double divisor;

    @Option(
            names = "--think",
            defaultValue = "5",
            description = "Mean seconds between turns. Default: ${DEFAULT-VALUE}.")
    private double think;

    @Option(names = "--seed", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--parallel",
            defaultValue = "8",
            description = "--parallel of the servers, at least 8. Default: ${DEFAULT-VALUE}.")
    private int parallel;

    private final List<Answer> answers = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger sent = new AtomicInteger();

    /** Runs the comparison: 0 for success, 1 if a request failed, 2 for wrong usage. */
    public static void main(String... arguments) {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(new PrintWriter(System.out, true, StandardCharsets.UTF_8), arguments));
    }

    static int run(PrintWriter out, String... arguments) {
        return new CommandLine(new FleetReplay()).setOut(out).setErr(out).execute(arguments);
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (HttpClient http = HttpClient.newHttpClient()) {
            List<ChatClient> clients = servers.stream().map(each -> client(http, each)).toList();
            Prompts prompts = new Prompts(seed);
            StepCalibration.Measured measured =
                    new StepCalibration(clients.getFirst(), prompts).measure();
            out.println(measured);
            double perSecond = load * servers.size() / meanSeconds(measured);
            Replayed real = replay(clients, prompts, measured, perSecond);
            Replayed simulated =
                    Replayed.of(Fleet.run(fleet(measured), chats(perSecond), requests, seed));
            out.print(Replayed.table(real, simulated));
            out.flush();
            return 0;
        } catch (ServerFailure e) {
            out.println(e.getMessage());
            return FAILED;
        }
    }

    private static ChatClient client(HttpClient http, String address) {
        return new ChatClient(http, Target.parse(address, Optional.empty()), Duration.ofMinutes(10))
                .withFirstModel();
    }

    private Workload chats(double perSecond) {
        return new Workload(
                WorkloadShape.CONVERSATION.dividedBy(divisor),
                new Workload.Arrivals(perSecond, false),
                think,
                seed);
    }

    private FleetOptions fleet(StepCalibration.Measured measured) {
        FleetOptions.ReplicaLimits usual = FleetOptions.ReplicaLimits.DEFAULT;
        return FleetOptions.of(servers.size(), RoutingPolicy.SESSION)
                .withCosts(measured.costs())
                .withLimits(
                        new FleetOptions.ReplicaLimits(
                                parallel,
                                usual.maxQueue(),
                                usual.maxGapNanos(),
                                usual.columnGroup(),
                                usual.cacheTokens()));
    }

    /** Returns the mean time of a request on a server that computes requests one by one. */
    private double meanSeconds(StepCalibration.Measured measured) {
        Workload sample = chats(1);
        double nanos = 0;
        for (int i = 0; i < requests; i++) {
            Turn turn = sample.nextSession().next();
            nanos += measured.costs().of(0, turn.promptTokens());
            nanos += (double) turn.outputTokens() * measured.costs().of(1, 0);
        }
        return nanos / requests / 1e9;
    }

    /** Starts sessions at their times until all requests are sent, and waits for their ends. */
    private Replayed replay(
            List<ChatClient> clients,
            Prompts prompts,
            StepCalibration.Measured measured,
            double perSecond)
            throws Exception {
        Workload workload = chats(perSecond);
        long begin = System.nanoTime();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> sessions = new ArrayList<>();
            while (sent.get() < requests) {
                waitUntil(begin + workload.nextArrival());
                Sessions.Session session = workload.nextSession();
                sessions.add(threads.submit(() -> chat(session, clients, prompts, measured)));
            }
            for (Future<?> session : sessions) {
                session.get();
            }
        }
        return Replayed.of(answers, System.nanoTime() - begin);
    }

    private void chat(
            Sessions.Session session,
            List<ChatClient> clients,
            Prompts prompts,
            StepCalibration.Measured measured) {
        SessionChat chat = new SessionChat(prompts, measured.tokensPerWord());
        Optional<Long> pause = Optional.of(0L);
        while (pause.isPresent() && sent.getAndIncrement() < requests) {
            waitUntil(System.nanoTime() + pause.get());
            Turn turn = session.next();
            ChatClient client = clients.get(turn.sessionHash() % clients.size());
            StringBuilder text = new StringBuilder();
            Answer answer = Replies.await(client.stream(chat.next(turn), _ -> {}, text::append));
            chat.answered(text.toString(), answer.usage().orElseThrow());
            answers.add(answer);
            pause = session.thinks();
        }
    }

    private static void waitUntil(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = nanoTime - System.nanoTime();
        }
    }
}
