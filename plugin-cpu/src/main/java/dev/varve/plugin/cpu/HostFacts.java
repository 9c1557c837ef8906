package dev.varve.plugin.cpu;

import dev.varve.api.backend.HostCores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Resources of the machine that this process may use: physical cores within the CPU affinity and
 * the cgroup's quota, memory within the cgroup's limit. Reads files below a root folder, so that
 * tests can provide their own.
 */
final class HostFacts {
    private final Path root;

    HostFacts(Path root) {
        this.root = root;
    }

    /**
     * Physical cores, at least 1: hyper-threads share a core's arithmetic, so they do not count.
     */
    int physicalCores() {
        Set<String> cores = new HashSet<>();
        int unknown = 0;
        for (int cpu : HostCores.parseList(statusLine("Cpus_allowed_list").orElse("0"))) {
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
        OptionalLong quota = cgroup().cpuMillis();
        return quota.isEmpty() ? count : Math.clamp(quota.getAsLong() / 1000, 1, count);
    }

    /** Bytes of memory: the machine's, or the cgroup's limit if that is lower. */
    long memoryTotal() {
        return Math.min(memoryInfo("MemTotal"), cgroup().memoryLimit());
    }

    /**
     * Bytes that are free: the machine's available memory, or the rest of the cgroup's limit if
     * that is lower.
     */
    long memoryFree() {
        return Math.min(memoryInfo("MemAvailable"), cgroup().memoryLeft());
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

    /** Created at each call: a process may be moved, and limits change. */
    private Cgroup cgroup() {
        return new Cgroup(root);
    }

    private long memoryInfo(String field) {
        return read(root.resolve("proc/meminfo")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.replaceAll("\\D", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) * 1024)
                .findFirst()
                .orElse(Cgroup.UNLIMITED);
    }

    private Optional<String> statusLine(String field) {
        return read(root.resolve("proc/self/status")).stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst();
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
