package dev.varve.plugin.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits of control groups for this process, version 1 or 2. A group's limit holds for the groups
 * inside it, so the process's own group and all its ancestors are read and the lowest limit counts.
 * If the process has no group of its own, as in most containers, the root of the mount is read.
 * Invalid values are skipped.
 */
final class Cgroup {
    /** More than any machine has; the value of version 1 for "no limit" is higher. */
    static final long UNLIMITED = 1L << 60;

    private static final Pattern QUOTA = Pattern.compile("([1-9]\\d{0,14}) ([1-9]\\d{0,14})");

    private final Path mount;
    private final List<String> memberships;

    Cgroup(Path root) {
        mount = root.resolve("sys/fs/cgroup");
        memberships =
                read(root.resolve("proc/self/cgroup")).stream().flatMap(String::lines).toList();
    }

    /** Thousandths of a CPU; empty without a quota. */
    OptionalLong cpuMillis() {
        return folders("cpu").stream()
                .flatMap(folder -> quota(folder).stream())
                .mapToLong(Long::longValue)
                .min();
    }

    /** Bytes of memory, or {@link #UNLIMITED}. */
    long memoryLimit() {
        return folders("memory").stream().mapToLong(Cgroup::limit).min().orElse(UNLIMITED);
    }

    /** Bytes of memory below the limits that are still free, or {@link #UNLIMITED}. */
    long memoryLeft() {
        return folders("memory").stream().mapToLong(Cgroup::remaining).min().orElse(UNLIMITED);
    }

    /** Folders of this process's group and its ancestors, of both versions. */
    private List<Path> folders(String controller) {
        List<Path> folders = new ArrayList<>();
        addWithParents(folders, mount, "");
        addWithParents(folders, mount.resolve(controller), "");
        for (String membership : memberships) {
            String[] fields = membership.split(":", 3);
            if (fields.length == 3 && fields[1].isEmpty()) {
                addWithParents(folders, mount, fields[2]);
            } else if (fields.length == 3 && List.of(fields[1].split(",")).contains(controller)) {
                addWithParents(folders, mount.resolve(controller), fields[2]);
            }
        }
        return folders;
    }

    /**
     * The group's path begins with a slash; it points outside the mount if the process sees only a
     * part of the tree.
     */
    private static void addWithParents(List<Path> folders, Path top, String group) {
        Path folder = top.resolve(group.replaceFirst("^/+", "")).normalize();
        for (; folder.startsWith(top); folder = folder.getParent()) {
            folders.add(folder);
        }
    }

    private static Optional<Long> quota(Path folder) {
        Optional<String> text =
                read(folder.resolve("cpu.max"))
                        .or(
                                () ->
                                        read(folder.resolve("cpu.cfs_quota_us"))
                                                .flatMap(
                                                        quota ->
                                                                read(folder.resolve(
                                                                                "cpu.cfs_period_us"))
                                                                        .map(
                                                                                period ->
                                                                                        quota + " "
                                                                                                + period)));
        return text.map(QUOTA::matcher)
                .filter(Matcher::matches)
                .map(
                        fields ->
                                Math.ceilDiv(
                                        Long.parseLong(fields.group(1)) * 1000,
                                        Long.parseLong(fields.group(2))));
    }

    private static long limit(Path folder) {
        long limit =
                number(folder.resolve("memory.max"))
                        .orElse(number(folder.resolve("memory.limit_in_bytes")).orElse(UNLIMITED));
        return Math.min(limit, UNLIMITED);
    }

    /** Inactive file pages count as used, but the kernel reclaims them first. */
    private static long remaining(Path folder) {
        long limit = limit(folder);
        if (limit == UNLIMITED) {
            return UNLIMITED;
        }
        long used =
                number(folder.resolve("memory.current"))
                        .orElse(number(folder.resolve("memory.usage_in_bytes")).orElse(0));
        long reclaimable =
                read(folder.resolve("memory.stat")).stream()
                        .flatMap(String::lines)
                        .filter(line -> line.matches("(total_)?inactive_file \\d{1,18}"))
                        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                        .max()
                        .orElse(0);
        return Math.max(0, limit - Math.max(0, used - reclaimable));
    }

    private static OptionalLong number(Path file) {
        Optional<String> text = read(file).filter(digits -> digits.matches("\\d{1,19}"));
        return text.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(
                        text.get().length() > 18 ? UNLIMITED : Long.parseLong(text.get()));
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
