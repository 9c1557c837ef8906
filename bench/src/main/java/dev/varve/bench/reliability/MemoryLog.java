package dev.varve.bench.reliability;

import dev.varve.bench.http.ServerProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Anonymous memory of a server's processes over time, as Linux counts it: heap, native memory and
 * caches, but neither mapped models nor mapped stores. Empty on other systems.
 */
final class MemoryLog implements AutoCloseable {
    private static final int PERIOD_SECONDS = 10;
    private static final String FIELD = "RssAnon:";
    private static final double KIB_OF_MIB = 1024;
    private static final double SECONDS_OF_HOUR = 3600;

    /**
     * Memory of a process at one time.
     *
     * @param seconds since the log began
     * @param mebibytes of anonymous memory
     */
    record Sample(double seconds, double mebibytes) {}

    private final ServerProcess server;
    private final long begin = System.nanoTime();
    private final Map<Long, List<Sample>> samples = new LinkedHashMap<>();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon(true).factory());

    private MemoryLog(ServerProcess server) {
        this.server = server;
    }

    /** Looks every ten seconds until it is closed. */
    static MemoryLog start(ServerProcess server) {
        MemoryLog log = new MemoryLog(server);
        log.clock.scheduleAtFixedRate(log::look, 0, PERIOD_SECONDS, TimeUnit.SECONDS);
        return log;
    }

    private synchronized void look() {
        double seconds = (System.nanoTime() - begin) / 1e9;
        Stream.concat(Stream.of(server.process()), server.children())
                .forEach(
                        process ->
                                anonymousKib(process.pid())
                                        .ifPresent(
                                                kib ->
                                                        samples.computeIfAbsent(
                                                                        process.pid(),
                                                                        _ -> new ArrayList<>())
                                                                .add(
                                                                        new Sample(
                                                                                seconds,
                                                                                kib
                                                                                        / KIB_OF_MIB))));
    }

    private static OptionalLong anonymousKib(long process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process + "/status"))) {
            return lines.filter(line -> line.startsWith(FIELD))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst();
        } catch (IOException _) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns a line for each process that has run since the middle of the log, the server's first.
     */
    synchronized List<String> summary() {
        double middle = (System.nanoTime() - begin) / 2e9;
        List<String> lines = new ArrayList<>();
        samples.forEach(
                (process, all) -> {
                    List<Sample> late =
                            all.stream().filter(sample -> sample.seconds() >= middle).toList();
                    boolean lived = all.getFirst().seconds() < middle && late.size() > 2;
                    if (lived && ProcessHandle.of(process).isPresent()) {
                        lines.add(line(process, late));
                    }
                });
        return lines;
    }

    private String line(long process, List<Sample> late) {
        return String.format(
                Locale.ROOT,
                "%s %d: %.0f MiB of anonymous memory at the middle of the run, %.0f at its end;"
                        + " %.1f MiB an hour in its second half",
                process == server.process().pid() ? "server" : "shard",
                process,
                late.getFirst().mebibytes(),
                late.getLast().mebibytes(),
                slope(late) * SECONDS_OF_HOUR);
    }

    /** Returns the slope of the least squares line, in MiB a second. */
    static double slope(List<Sample> samples) {
        double seconds = samples.stream().mapToDouble(Sample::seconds).average().orElseThrow();
        double mean = samples.stream().mapToDouble(Sample::mebibytes).average().orElseThrow();
        double products = 0;
        double squares = 0;
        for (Sample sample : samples) {
            double distance = sample.seconds() - seconds;
            products += distance * (sample.mebibytes() - mean);
            squares += distance * distance;
        }
        return products / squares;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
