import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs PIT on packages of the platform, each with its own unit tests, and prints a table.
 *
 * <p>Usage: {@code java Mutants.java PACKAGE[,PACKAGE…] OWN[,OWN…] CLASSES REPORTS [JVM OPTION…]}. It selects the
 * packages of the first list that are in the second one, which has those of a module; {@code all} selects all of these. PIT and
 * the tests are on the class path, CLASSES has the classes to mutate, and REPORTS gets a folder with a report for each package.
 * Exit status 1 with the names of the packages in which the tests killed fewer than {@value #LEAST_STRENGTH} in 100 covered
 * mutants.
 *
 * <p>Each package has its own JVM, on the Java that runs this class: the one that runs Maven may be too old for the classes.
 */
final class Mutants {
    private static final int LEAST_STRENGTH = 80;

    /** Packages that may not reach it: their results are shown but not checked. */
    private static final Set<String> ONLY_SHOWN = Set.of("engine", "grammar", "prefix", "store", "wire");

    private static final String PLATFORM = "dev.varve.platform.";

    /**
     * Tests of products and random walks, which would need seconds or minutes for each surviving mutant; and
     * simulations, which run code that another class loader reads from files, so never a mutant.
     */
    private static final List<String> SLOW =
            List.of(
                    "OptionalWorkFaultTest",
                    "PagedPrefixCacheTest",
                    "PagedWalkTest",
                    "PageTableWalkTest",
                    "KvSlotPoolTest",
                    "WireFuzzTest",
                    "SegmentEvictionTest",
                    "DamagedStoreTest",
                    "SchemaSuiteTest",
                    "RealSchemasTest",
                    "HostileSchemaTest",
                    "RandomAnswersTest",
                    "GrammarMemoryTest",
                    "PrefixCacheLoadTest",
                    "CacheOrderTest",
                    "*SimulationTest");

    private Mutants() {}

    /** Counts of a package: its mutants, and those that the tests covered and killed. */
    private record Outcome(String name, int mutants, int covered, int killed, int lines, int coveredLines) {
        int strength() {
            return covered == 0 ? 0 : 100 * killed / covered;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%-12s %8d %8d %8d %7d %% %8d %% %11d %%",
                    name,
                    mutants,
                    covered,
                    killed,
                    100 * killed / Math.max(1, mutants),
                    strength(),
                    100 * coveredLines / Math.max(1, lines));
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        List<String> chosen = List.of(arguments[0].split(","));
        for (String name : arguments[1].split(",")) {
            if (name.equals("none") || !chosen.contains("all") && !chosen.contains(name)) {
                continue;
            }
            Path reports = Path.of(arguments[3]).resolve(name);
            Files.createDirectories(reports);
            List<String> options = Arrays.asList(arguments).subList(4, arguments.length);
            outcomes.add(run(name, Path.of(arguments[2]), reports, options));
        }
        if (outcomes.isEmpty()) {
            return;
        }
        System.out.println("package       mutants  covered   killed     score   strength  line coverage");
        outcomes.forEach(System.out::println);
        String weak = outcomes.stream()
                .filter(outcome -> outcome.strength() < LEAST_STRENGTH && !ONLY_SHOWN.contains(outcome.name()))
                .map(Outcome::name)
                .collect(Collectors.joining(", "));
        if (!weak.isEmpty()) {
            System.err.println("fewer than " + LEAST_STRENGTH + " in 100 covered mutants are killed in " + weak);
            System.exit(1);
        }
    }

    private static Outcome run(String name, Path classes, Path reports, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.pitest.mutationtest.commandline.MutationCoverageReport",
                "--targetClasses=" + PLATFORM + name + ".*",
                "--targetTests=" + PLATFORM + name + ".*",
                "--excludedTestClasses=" + SLOW.stream().map(test -> "*." + test).collect(Collectors.joining(",")),
                "--excludedGroups=nightly",
                "--sourceDirs=src/main/java",
                "--mutableCodePaths=" + classes,
                "--classPath=" + System.getProperty("java.class.path").replace(File.pathSeparator, ","),
                "--reportDir=" + reports,
                "--timestampedReports=false",
                "--outputFormats=HTML,CSV",
                "--threads=2",
                "--timeoutConst=3000"));
        if (!options.isEmpty()) {
            command.add("--jvmArgs=" + String.join(",", options));
        }
        Path log = reports.resolve("log");
        int status = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("PIT failed on " + name + ", see " + log);
        }
        return outcome(name, reports.resolve("mutations.csv"), Files.readString(log));
    }

    private static Outcome outcome(String name, Path mutations, String log) throws IOException {
        Map<String, Long> counts;
        try (Stream<String> lines = Files.lines(mutations)) {
            counts = lines.map(line -> line.split(",")[5]).collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        }
        int all = counts.values().stream().mapToInt(Long::intValue).sum();
        int alive = counts.getOrDefault("SURVIVED", 0L).intValue();
        int uncovered = counts.getOrDefault("NO_COVERAGE", 0L).intValue();
        Matcher lines = Pattern.compile("Line Coverage.*: (\\d+)/(\\d+)").matcher(log);
        boolean known = lines.find();
        return new Outcome(
                name,
                all,
                all - uncovered,
                all - uncovered - alive,
                known ? Integer.parseInt(lines.group(2)) : 0,
                known ? Integer.parseInt(lines.group(1)) : 0);
    }
}
