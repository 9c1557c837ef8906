package dev.varve.bench;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares two installations, such as those of two commits: {@code varve bench} of each in turn, in
 * a process of its own.
 *
 * <pre>
 * InstallationBench --before DIR --after DIR [--pairs 9] -- FLAGS OF VARVE BENCH
 * </pre>
 *
 * <p>Exits with 1 if the later one is slower by more than the measurements vary: if the median of
 * the ratios is below 0.97, or the 90 % interval of the median below 1.
 */
public final class InstallationBench {
    /** Names of results, and of their columns. */
    private static final Map<String, String> RESULTS = Map.of("pp", "prefill", "tg", "decode");

    private static final PrintStream OUT = System.out;

    private final Path before;
    private final Path after;
    private final int pairs;
    private final List<String> flags;

    /**
     * @param before folder of an installation
     * @param after folder of the other one
     * @param pairs runs of each
     * @param flags of {@code varve bench}
     */
    InstallationBench(Path before, Path after, int pairs, List<String> flags) {
        this.before = before;
        this.after = after;
        this.pairs = pairs;
        this.flags = List.copyOf(flags);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        List<String> all = Arrays.asList(arguments);
        int end = all.contains("--") ? all.indexOf("--") : all.size();
        Map<String, String> own = new HashMap<>();
        for (int i = 0; i + 1 < end; i += 2) {
            own.put(all.get(i), all.get(i + 1));
        }
        if (!own.containsKey("--before") || !own.containsKey("--after")) {
            throw new IllegalArgumentException(
                    "expected --before DIR --after DIR [--pairs 9] -- FLAGS OF VARVE BENCH");
        }
        List<Ratio> ratios =
                new InstallationBench(
                                Path.of(own.get("--before")),
                                Path.of(own.get("--after")),
                                Integer.parseInt(own.getOrDefault("--pairs", "9")),
                                all.subList(Math.min(all.size(), end + 1), all.size()))
                        .run();
        ratios.forEach(ratio -> OUT.println(ratio.describe("after", "before")));
        System.exit(ratios.stream().allMatch(Ratio::holds) ? 0 : 1);
    }

    /** Returns the ratios of what both measured. */
    List<Ratio> run() throws IOException, InterruptedException {
        Map<String, Ratio> ratios = new LinkedHashMap<>();
        // Not counted: it fills the page cache.
        measure(before);
        for (int pair = 0; pair < pairs; pair++) {
            boolean isReversed = pair % 2 == 1;
            Map<String, Double> first = measure(isReversed ? after : before);
            Map<String, Double> second = measure(isReversed ? before : after);
            Map<String, Double> old = isReversed ? second : first;
            Map<String, Double> fresh = isReversed ? first : second;
            for (String name : old.keySet().stream().sorted().toList()) {
                ratios.computeIfAbsent(name, Ratio::new).add(fresh.get(name), old.get(name));
            }
            OUT.println("pair " + (pair + 1) + " of " + pairs + ": " + old + ", then " + fresh);
        }
        return List.copyOf(ratios.values());
    }

    /** Returns tokens per second by what was measured. */
    private Map<String, Double> measure(Path installation)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(installation.resolve("bin/varve").toString());
        command.add("bench");
        command.addAll(flags);
        command.add("--json");
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + ": exit status " + status);
        }
        JsonNode result = JsonMapper.shared().readTree(out);
        Map<String, Double> speeds = new HashMap<>();
        RESULTS.forEach(
                (key, name) -> {
                    if (result.has(key)) {
                        speeds.put(name, result.get(key).asDouble());
                    }
                });
        return speeds;
    }
}
