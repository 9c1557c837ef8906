package dev.varve.plugin.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What of the machine this process may use: physical cores within the CPU affinity and the cgroup's quota, memory within
 * the cgroup's limit. Reads below a root folder, so that tests can bring a machine of their own.
 */
final class HostFacts {
    private static final long UNLIMITED = 1L << 60;
    /** Microseconds that the processes may run in each period of as many microseconds. */
    private static final Pattern QUOTA = Pattern.compile("(\\d{1,15})\\s+([1-9]\\d{0,14})");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    private final Path root;

    HostFacts(Path root) {
        this.root = root;
    }

    /** Physical cores, at least 1: hyper-threads share a core's arithmetic, so they do not count. */
    int physicalCores() {
        Set<String> cores = new HashSet<>();
        int unknown = 0;
        for (int cpu : parseList(statusLine("Cpus_allowed_list").orElse("0"))) {
            Path topology = root.resolve("sys/devices/system/cpu/cpu" + cpu + "/topology");
            Optional<String> core = read(topology.resolve("core_id"));
            Optional<String> socket = read(topology.resolve("physical_package_id"));
            if (core.isPresent() && socket.isPresent()) {
                cores.add(socket.get() + "/" + core.get());
            } else {
                unknown++;
            }
        }
        int count = Math.max(1, cores.isEmpty() ? unknown : cores.size());
        OptionalLong quota = cpuQuotaMillis();
        return quota.isEmpty() ? count : Math.clamp(quota.getAsLong() / 1000, 1, count);
    }

    /** Thousandths of a CPU that the cgroup grants. */
    private OptionalLong cpuQuotaMillis() {
        Optional<String> v2 = read(root.resolve("sys/fs/cgroup/cpu.max"));
        if (v2.isPresent()) {
            Matcher fields = QUOTA.matcher(v2.get());
            if (fields.matches()) {
                long granted = Long.parseLong(fields.group(1));
                return OptionalLong.of(Math.ceilDiv(granted * 1000, Long.parseLong(fields.group(2))));
            }
            return OptionalLong.empty();
        }
        OptionalLong quota = number(root.resolve("sys/fs/cgroup/cpu/cpu.cfs_quota_us"));
        OptionalLong period = number(root.resolve("sys/fs/cgroup/cpu/cpu.cfs_period_us"));
        if (quota.isPresent() && period.isPresent() && quota.getAsLong() > 0 && period.getAsLong() > 0) {
            return OptionalLong.of(quota.getAsLong() * 1000 / period.getAsLong());
        }
        return OptionalLong.empty();
    }

    /** Bytes of memory: the machine's, or the cgroup's limit if that is lower. */
    long memoryTotal() {
        return Math.min(memoryInfo("MemTotal"), memoryLimit());
    }

    /** Bytes that are free: the machine's available memory, or what the cgroup's limit leaves. */
    long memoryFree() {
        long used = number(root.resolve("sys/fs/cgroup/memory.current"))
                .orElse(number(root.resolve("sys/fs/cgroup/memory/memory.usage_in_bytes")).orElse(0));
        long left = memoryLimit() == UNLIMITED ? UNLIMITED : Math.max(0, memoryLimit() - used);
        return Math.min(memoryInfo("MemAvailable"), left);
    }

    /** Name of the processor. */
    String processor() {
        return read(root.resolve("proc/cpuinfo")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("CPU");
    }

    private long memoryLimit() {
        OptionalLong v2 = number(root.resolve("sys/fs/cgroup/memory.max"));
        OptionalLong v1 = number(root.resolve("sys/fs/cgroup/memory/memory.limit_in_bytes"));
        return Math.min(UNLIMITED, v2.orElse(v1.orElse(UNLIMITED)));
    }

    private long memoryInfo(String field) {
        return read(root.resolve("proc/meminfo")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) * 1024)
                .findFirst()
                .orElse(UNLIMITED);
    }

    private Optional<String> statusLine(String field) {
        return read(root.resolve("proc/self/status")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst();
    }

    /** Numbers of a kernel list such as {@code 0-3,8}; other parts are passed over. */
    static Set<Integer> parseList(String list) {
        Set<Integer> numbers = new HashSet<>();
        for (String part : list.split(",")) {
            Matcher range = RANGE.matcher(part.strip());
            if (range.matches()) {
                int first = Integer.parseInt(range.group(1));
                int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
                for (int number = first; number <= last; number++) {
                    numbers.add(number);
                }
            }
        }
        return numbers;
    }

    private static OptionalLong number(Path file) {
        Optional<String> text = read(file);
        return text.isPresent() && text.get().matches("-?\\d{1,19}")
                ? OptionalLong.of(text.get().length() > 18 ? UNLIMITED : Long.parseLong(text.get()))
                : OptionalLong.empty();
    }

    private static Optional<String> read(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            // Absent on other kernels and cgroup versions; the caller has a default.
            return Optional.empty();
        }
    }
}
