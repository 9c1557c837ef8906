package dev.varve.bench;

import dev.varve.platform.host.HostedModel;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.store.ArchiveStatus;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Measures the anonymous memory of a process after some heads, beside their bytes in host memory.
 * Each figure is of a process of its own: the memory that earlier models leave to the allocator is
 * more than the measured difference. The heap has a fixed size there, of which only live objects
 * count.
 */
final class DiskMemory {
    private static final double MIB = 1 << 20;
    private static final int HEAP_MIB = 768;
    private static final String RESULT = "beside ";
    private static final String DISK = "--disk";

    private DiskMemory() {}

    /** The process that is measured; {@code --disk} is the folder of its disk. */
    public static void main(String... arguments) throws Exception {
        Set<String> known = new HashSet<>(DiskBench.FLAGS);
        known.add(DISK);
        Map<String, String> flags = DiskSubject.flags(known, arguments);
        DiskSubject subject = new DiskSubject(flags, Path.of(flags.get("--model")));
        Optional<Path> disk = Optional.ofNullable(flags.get(DISK)).map(Path::of);
        int heads = subject.number("--heads", 5);
        try (HostedModel model = subject.load(subject.cold() + subject.more() + 64, disk)) {
            for (int i = 0; i < heads; i++) {
                DiskSubject.ask(
                        model, subject.behind(model, subject.tokens(model, subject.cold()), 1));
            }
            DiskSubject.settle(model);
            PrefixCacheStatus kept = DiskSubject.cache(model);
            double live = live() / MIB;
            double anonymous = anonymous() / MIB;
            double held = kept.host().usedBytes() / MIB;
            double beside = anonymous - held - HEAP_MIB + live;
            report(
                    "%s disk, %d heads of %d tokens: RssAnon %.1f MiB, host memory holds %.1f MiB,"
                            + " %.1f MiB of Java's heap of %d are live: %.1f MiB beside",
                    disk.isPresent() ? "with" : "without",
                    heads,
                    subject.cold(),
                    anonymous,
                    held,
                    live,
                    HEAP_MIB,
                    beside);
            kept.disk().ifPresent(archive -> describe(archive, kept.host().usedBytes()));
            report(RESULT + "%.3f", beside);
        }
        System.exit(0);
    }

    private static void describe(ArchiveStatus disk, long held) {
        report(
                "objects on disk: %d with %.2f MB, each once; chunks of them %.2f MB; host memory"
                        + " holds %.2f MB of rows and states",
                disk.objects(),
                disk.traffic().writtenBytes() / 1e6,
                disk.usedBytes() / 1e6,
                held / 1e6);
    }

    /** Bytes of objects that are in use. */
    private static long live() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Returns anonymous memory in bytes; 0 if the system is not Linux. */
    private static long anonymous() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        }
    }

    /** Measures in another process, and prints its output; returns MiB. */
    static double measure(Map<String, String> flags, Path model, Optional<Path> disk)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        String heap = HEAP_MIB + "m";
        command.addAll(List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(DiskMemory.class.getName());
        flags.forEach((flag, value) -> command.addAll(List.of(flag, value)));
        command.addAll(List.of("--model", model.toString()));
        disk.ifPresent(path -> command.addAll(List.of(DISK, path.toString())));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Optional<Double> result = Optional.empty();
        try (var reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line : reader.lines().toList()) {
                if (line.startsWith(RESULT)) {
                    result = Optional.of(Double.valueOf(line.substring(RESULT.length())));
                } else {
                    System.out.println(line);
                }
            }
        }
        int status = process.waitFor();
        return result.orElseThrow(
                () -> new IllegalStateException("the other process ended with " + status));
    }

    private static void report(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
