package dev.varve.bench.reliability;

import dev.varve.bench.http.ServerProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Anonymous memory, threads and descriptors of a server's processes over time, as Linux counts
 * them. Anonymous memory is heap, native memory and caches, but neither mapped models nor mapped
 * stores. Empty on other systems.
 */
final class ProcessLog implements AutoCloseable {
    private static final int PERIOD_SECONDS = 10;
    private static final String MEMORY = "RssAnon:";
    private static final String THREADS = "Threads:";
    private static final double KIB_OF_MIB = 1024;
    private static final double SECONDS_OF_HOUR = 3600;

    /**
     * Memory, threads and descriptors of a process at one time.
     *
     * @param seconds since the log began
     * @param mebibytes of anonymous memory
     * @param threads number of threads
     * @param descriptors number of open files and sockets
     */
    record Sample(double seconds, double mebibytes, double threads, double descriptors) {}

    private final ServerProcess server;
    private final long begin = System.nanoTime();
    private final Map<Long, List<Sample>> samples = new LinkedHashMap<>();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon(true).factory());

    private ProcessLog(ServerProcess server) {
        this.server = server;
    }

    /** Looks every ten seconds until it is closed. */
    static ProcessLog start(ServerProcess server) {
        ProcessLog log = new ProcessLog(server);
        log.clock.scheduleAtFixedRate(log::look, 0, PERIOD_SECONDS, TimeUnit.SECONDS);
        return log;
    }

    private synchronized void look() {
        double seconds = (System.nanoTime() - begin) / 1e9;
        Stream.concat(Stream.of(server.process()), server.children())
                .map(ProcessHandle::pid)
                .forEach(
                        process ->
                                sample(process, seconds)
                                        .ifPresent(
                                                sample ->
                                                        samples.computeIfAbsent(
                                                                        process,
                                                                        _ -> new ArrayList<>())
                                                                .add(sample)));
    }

    private static Optional<Sample> sample(long process, double seconds) {
        Path folder = Path.of("/proc/" + process);
        try (Stream<Path> descriptors = Files.list(folder.resolve("fd"))) {
            List<String> status = Files.readAllLines(folder.resolve("status"));
            return Optional.of(
                    new Sample(
                            seconds,
                            field(status, MEMORY) / KIB_OF_MIB,
                            field(status, THREADS),
                            descriptors.count()));
        } catch (IOException | UncheckedIOException _) {
            return Optional.empty();
        }
    }

    private static double field(List<String> status, String name) throws IOException {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow(() -> new IOException("no " + name + " in the status"));
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
                "%s %d: at the middle of the run and at its end %s; %s; %s",
                process == server.process().pid() ? "server" : "shard",
                process,
                change(late, Sample::mebibytes, "MiB of anonymous memory"),
                change(late, Sample::threads, "threads"),
                change(late, Sample::descriptors, "descriptors"));
    }

    private static String change(List<Sample> late, ToDoubleFunction<Sample> value, String unit) {
        return String.format(
                Locale.ROOT,
                "%.0f and %.0f %s, %.1f an hour",
                value.applyAsDouble(late.getFirst()),
                value.applyAsDouble(late.getLast()),
                unit,
                slope(late, value) * SECONDS_OF_HOUR);
    }

    /** Returns the slope of the least squares line through a value of all samples, a second. */
    static double slope(List<Sample> samples, ToDoubleFunction<Sample> value) {
        double seconds = samples.stream().mapToDouble(Sample::seconds).average().orElseThrow();
        double mean = samples.stream().mapToDouble(value).average().orElseThrow();
        double products = 0;
        double squares = 0;
        for (Sample sample : samples) {
            double distance = sample.seconds() - seconds;
            products += distance * (value.applyAsDouble(sample) - mean);
            squares += distance * distance;
        }
        return products / squares;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
