package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which module requires which.
 *
 * @param requires the required modules of each module
 */
record ModuleGraph(SortedMap<String, SortedSet<String>> requires) {
    private static final String OWN = "dev.varve.";
    private static final String REQUIRES = "requires " + OWN;

    ModuleGraph {
        requires = Collections.unmodifiableSortedMap(new TreeMap<>(requires));
    }

    /**
     * Reads Varve's modules from descriptors as {@code jar --describe-module} prints them, one a
     * file. Names lose the common prefix.
     */
    static ModuleGraph read(Path folder) throws IOException {
        SortedMap<String, SortedSet<String>> requires = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String module = file.getFileName().toString().replaceFirst("\\.txt$", "");
                requires.put(
                        module.substring(OWN.length()),
                        Files.readAllLines(file).stream()
                                .filter(line -> line.startsWith(REQUIRES))
                                .map(line -> line.substring(REQUIRES.length()).split(" ")[0])
                                .collect(Collectors.toCollection(TreeSet::new)));
            }
        }
        return new ModuleGraph(requires);
    }

    /** Returns the graph without each arrow that a path of others replaces. */
    ModuleGraph reduced() {
        SortedMap<String, SortedSet<String>> reduced = new TreeMap<>();
        requires.forEach(
                (module, targets) -> {
                    SortedSet<String> direct = new TreeSet<>(targets);
                    targets.forEach(target -> direct.removeAll(reachable(requires.get(target))));
                    reduced.put(module, direct);
                });
        return new ModuleGraph(reduced);
    }

    private Set<String> reachable(Collection<String> from) {
        Set<String> found = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(from);
        while (!open.isEmpty()) {
            String module = open.pop();
            if (found.add(module)) {
                open.addAll(requires.get(module));
            }
        }
        return found;
    }

    /** Returns the number of arrows on the longest path from a module. */
    int height(String module) {
        return requires.get(module).stream().mapToInt(each -> height(each) + 1).max().orElse(0);
    }

    /**
     * Replaces the modules whose names begin with {@code prefix} by one of that name, which
     * requires what they require.
     */
    ModuleGraph grouped(String prefix) {
        SortedMap<String, SortedSet<String>> grouped = new TreeMap<>();
        requires.forEach(
                (module, targets) ->
                        grouped.computeIfAbsent(
                                        module.startsWith(prefix) ? prefix : module,
                                        each -> new TreeSet<>())
                                .addAll(targets));
        return new ModuleGraph(grouped);
    }

    /** Returns the names of the modules that begin with {@code prefix}, without it. */
    String names(String prefix) {
        return requires.keySet().stream()
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .collect(Collectors.joining(" "));
    }

    /** Makes a graph of pairs, such as {@code "b a"} if {@code b} requires {@code a}. */
    static ModuleGraph of(String... pairs) {
        SortedMap<String, SortedSet<String>> requires = new TreeMap<>();
        for (String pair : pairs) {
            Map.Entry<String, String> arrow = Map.entry(pair.split(" ")[0], pair.split(" ")[1]);
            requires.computeIfAbsent(arrow.getKey(), each -> new TreeSet<>()).add(arrow.getValue());
            requires.computeIfAbsent(arrow.getValue(), each -> new TreeSet<>());
        }
        return new ModuleGraph(requires);
    }
}
