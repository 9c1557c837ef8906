package dev.varve.api.backend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The processor's cores of this machine, as one device: computations on them take turns within this
 * process.
 */
public final class HostCores {
    private static final Object LOCK = new Object();
    private static final Pattern RANGE = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))?");

    /** Field of Linux's {@code /proc/self/status}. */
    private static final String ALLOWED = "Cpus_allowed_list:";

    private HostCores() {}

    /** {@link ComputeDevice#lock} of every device whose {@link DeviceInfo#hostCores} is true. */
    public static Object lock() {
        return LOCK;
    }

    /**
     * Returns the numbers of the logical processors that this process may run on ({@code taskset},
     * a cgroup's {@code cpuset}); empty where the system does not report them.
     */
    public static Set<Integer> processors() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith(ALLOWED))
                    .findFirst()
                    .map(line -> parseList(line.substring(ALLOWED.length())))
                    .orElse(Set.of());
        } catch (IOException e) {
            // Not Linux.
            return Set.of();
        }
    }

    /** Parses a list such as {@code 0-3,8}; malformed parts are skipped. */
    public static Set<Integer> parseList(String list) {
        Set<Integer> numbers = new TreeSet<>();
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
}
