package dev.varve.fleet;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The command {@code tools/fleet-sim/run.sh}. */
@Command(
        name = "tools/fleet-sim/run.sh",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        description = {
            "Simulates fleets of replicas with the engine's routing and scheduling rules and a"
                    + " cost model, over simulated time. Equal flags give equal results.",
            "docs/fleet.md explains the workloads, the figures and the defaults."
        })
public final class FleetSim implements Callable<Integer> {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_GB = 1e9;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    @Option(
            names = "--replicas",
            split = ",",
            defaultValue = "1,2,4,8,16,32,64,128",
            description = "Numbers of replicas, with commas. Default: ${DEFAULT-VALUE}.")
    private List<Integer> replicas = List.of();

    @Option(
            names = "--scenario",
            split = ",",
            description =
                    "Names of scenarios, with commas: random, least loaded, session, prefix,"
                            + " events, random + store, prefix + store, prefix + hand-off, prefix +"
                            + " failures. Default: all.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--workload",
            defaultValue = "conversation",
            description = "conversation or tool-agent. Default: ${DEFAULT-VALUE}.")
    private String workload = "";

    @Option(names = "--bursty", description = "Sessions arrive in bursts, not evenly.")
    private boolean bursty;

    @Option(
            names = "--requests",
            defaultValue = "2000",
            description = "Requests per replica. Default: ${DEFAULT-VALUE}.")
    private long requests;

    @Option(
            names = "--rate",
            defaultValue = "0.3",
            description = "Offered requests per second and replica. Default: ${DEFAULT-VALUE}.")
    private double rate;

    @Option(
            names = "--divide-lengths",
            defaultValue = "8",
            description =
                    "Divisor of all lengths: the measured machine is small. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double divisor;

    @Option(
            names = "--think",
            defaultValue = "120",
            description = "Mean seconds between a response and the next turn: ${DEFAULT-VALUE}.")
    private double think;

    @Option(names = "--seed", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--base-ms",
            defaultValue = "7.2",
            description = "Time of any step in ms. Default: ${DEFAULT-VALUE}.")
    private double baseMillis;

    @Option(
            names = "--row-ms",
            defaultValue = "4.8",
            description = "Time of a decoded token in ms. Default: ${DEFAULT-VALUE}.")
    private double rowMillis;

    @Option(
            names = "--column-ms",
            defaultValue = "2.9",
            description = "Time of a prompt token in ms. Default: ${DEFAULT-VALUE}.")
    private double columnMillis;

    @Option(
            names = "--parallel",
            defaultValue = "8",
            description = "Running requests of a replica. Default: ${DEFAULT-VALUE}.")
    private int parallel;

    @Option(
            names = "--max-queue",
            defaultValue = "64",
            description = "Queued requests of a replica. Default: ${DEFAULT-VALUE}.")
    private int maxQueue;

    @Option(
            names = "--max-gap",
            defaultValue = "150",
            description = "Limit of steps beside streams in ms. Default: ${DEFAULT-VALUE}.")
    private long maxGapMillis;

    @Option(
            names = "--column-group",
            defaultValue = "16",
            description = "Columns that shards compute together. Default: ${DEFAULT-VALUE}.")
    private int columnGroup;

    @Option(
            names = "--cache-tokens",
            defaultValue = "131072",
            description = "Cached tokens of a replica. Default: ${DEFAULT-VALUE}.")
    private long cacheTokens;

    @Option(
            names = "--kv-bytes",
            defaultValue = "12288",
            description = "Bytes of a cached token. Default: ${DEFAULT-VALUE}.")
    private long bytesPerToken;

    @Option(
            names = "--state-bytes",
            defaultValue = "18874368",
            description = "Bytes of a recurrent state. Default: ${DEFAULT-VALUE}.")
    private long stateBytes;

    @Option(
            names = "--store-gbs",
            defaultValue = "1.25",
            description = "GB per second of the shared store. Default: ${DEFAULT-VALUE}.")
    private double storeGigabytes;

    @Option(
            names = "--store-latency-ms",
            defaultValue = "1",
            description = "Latency of the store and of links. Default: ${DEFAULT-VALUE}.")
    private double latencyMillis;

    @Option(
            names = "--store-tokens",
            defaultValue = "16777216",
            description = "Tokens that the store holds. Default: ${DEFAULT-VALUE}.")
    private long storeTokens;

    @Option(
            names = "--prefill-share",
            defaultValue = "0.25",
            description = "Share of replicas for prefill with hand-off. Default: ${DEFAULT-VALUE}.")
    private double prefillShare;

    @Option(
            names = "--prefill-speed",
            defaultValue = "1",
            description =
                    "How many times as fast replicas for prefill compute prompts. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double prefillSpeed;

    @Option(
            names = "--uptime",
            defaultValue = "3600",
            description = "Mean seconds until a replica fails. Default: ${DEFAULT-VALUE}.")
    private long uptimeSeconds;

    @Option(
            names = "--restart",
            defaultValue = "30",
            description = "Seconds of a restart. Default: ${DEFAULT-VALUE}.")
    private long restartSeconds;

    @Option(names = "--warm", description = "Caches survive a restart.")
    private boolean warm;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes all results.")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--svg", paramLabel = "FILE", description = "Writes the chart.")
    private Optional<Path> svg = Optional.empty();

    /** Runs the simulator. */
    public static void main(String[] arguments) {
        System.exit(run(new PrintWriter(System.out, true, StandardCharsets.UTF_8), arguments));
    }

    static int run(PrintWriter out, String... arguments) {
        return new CommandLine(new FleetSim()).setOut(out).setErr(out).execute(arguments);
    }

    @Override
    public Integer call() throws IOException {
        List<Scenario.Outcome> outcomes = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        out.print(ResultTable.of(List.of()));
        for (Scenario scenario : chosen()) {
            for (int count : replicas) {
                FleetOptions fleet = scenario.withReplicas(count).fleet();
                FleetResult result = Fleet.run(fleet, workload(count), requests * count, seed);
                outcomes.add(new Scenario.Outcome(scenario.name(), result));
                out.print(ResultTable.row(outcomes.getLast()));
                out.flush();
            }
        }
        if (json.isPresent()) {
            Files.writeString(
                    json.get(),
                    JsonMapper.shared()
                                    .writerWithDefaultPrettyPrinter()
                                    .writeValueAsString(outcomes)
                            + "\n");
        }
        if (svg.isPresent()) {
            Files.writeString(svg.get(), ScalingChart.of(outcomes));
        }
        return 0;
    }

    private List<Scenario> chosen() {
        List<Scenario> all = Scenario.all(base(), store(), handOff(), failures());
        List<String> names = all.stream().map(Scenario::name).toList();
        for (String name : scenarios) {
            if (!names.contains(name)) {
                throw wrong("--scenario", String.join(", ", names), name);
            }
        }
        return all.stream()
                .filter(each -> scenarios.isEmpty() || scenarios.contains(each.name()))
                .toList();
    }

    private CommandLine.ParameterException wrong(String flag, String expected, String found) {
        return new CommandLine.ParameterException(
                spec.commandLine(), flag + ": expected one of " + expected + ", found " + found);
    }

    private Workload workload(int count) {
        WorkloadShape shape =
                switch (workload) {
                    case "conversation" -> WorkloadShape.CONVERSATION;
                    case "tool-agent" -> WorkloadShape.TOOL_AGENT;
                    default -> throw wrong("--workload", "conversation, tool-agent", workload);
                };
        return new Workload(
                shape.dividedBy(divisor), new Workload.Arrivals(rate * count, bursty), think, seed);
    }

    private FleetOptions base() {
        return FleetOptions.of(1, RoutingPolicy.PREFIX)
                .withCosts(new StepCosts(nanos(baseMillis), nanos(rowMillis), nanos(columnMillis)))
                .withLimits(
                        new FleetOptions.ReplicaLimits(
                                parallel, maxQueue, nanos(maxGapMillis), columnGroup, cacheTokens))
                .withTransfer(new FleetOptions.TransferSize(bytesPerToken, stateBytes));
    }

    private FleetOptions.Store store() {
        return new FleetOptions.Store(
                (long) (storeGigabytes * BYTES_PER_GB), nanos(latencyMillis), storeTokens);
    }

    private FleetOptions.HandOff handOff() {
        return new FleetOptions.HandOff(
                prefillShare,
                256,
                (long) (storeGigabytes * BYTES_PER_GB),
                nanos(latencyMillis),
                prefillSpeed);
    }

    private FleetOptions.Failures failures() {
        return new FleetOptions.Failures(
                Duration.ofSeconds(uptimeSeconds).toNanos(),
                Duration.ofSeconds(restartSeconds).toNanos(),
                warm);
    }

    private static long nanos(double millis) {
        return Math.round(millis * NANOS_PER_MILLI);
    }
}
