package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the module descriptor and the packages of each of Varve's jars with a checked-in file,
 * so that a commit shows every change of them.
 */
class ModuleDescriptorsIT {
    private static final Path DIST = Path.of(System.getProperty("varve.test.root"), "dist");
    private static final Path EXPECTED = DIST.resolve("src/test/modules");
    private static final Path FOUND = DIST.resolve("target/modules");

    /** Not in every installation. */
    private static final Set<String> OPTIONAL = Set.of("dev.varve.plugin.cuda");

    @Test
    void everyJarMatchesItsCheckedInModuleDescription() throws IOException {
        SortedMap<String, String> found = descriptors();
        Files.createDirectories(FOUND);
        StringBuilder differences = new StringBuilder();
        for (String module : union(found.keySet(), expectedModules())) {
            Path expected = EXPECTED.resolve(module + ".txt");
            String before = Files.exists(expected) ? Files.readString(expected) : "";
            String now = found.getOrDefault(module, "");
            if (!now.isEmpty()) {
                Files.writeString(FOUND.resolve(module + ".txt"), now);
            }
            if (now.isEmpty() && OPTIONAL.contains(module)) {
                continue;
            }
            if (!before.equals(now)) {
                differences.append(difference(module, before, now));
            }
        }

        assertTrue(
                differences.isEmpty(),
                () ->
                        "module descriptors changed:\n"
                                + differences
                                + "If that is meant, accept it: cp "
                                + FOUND
                                + "/*.txt "
                                + EXPECTED
                                + "/");
    }

    /** Of Varve's modules a plugin may require the API alone; nothing may see inside a plugin. */
    @Test
    void pluginsRequireTheApiAndExportNothing() throws IOException {
        SortedMap<String, String> plugins = new TreeMap<>(descriptors());
        plugins.keySet().removeIf(module -> !module.startsWith("dev.varve.plugin."));

        assertTrue(plugins.size() >= 7, "plugins: " + plugins.keySet());
        plugins.forEach(
                (module, descriptor) -> {
                    assertEquals(
                            List.of("requires dev.varve.api"),
                            descriptor
                                    .lines()
                                    .filter(line -> line.startsWith("requires dev.varve."))
                                    .toList(),
                            module);
                    assertTrue(
                            descriptor
                                    .lines()
                                    .noneMatch(
                                            line -> line.matches("(qualified )?(exports|opens).*")),
                            descriptor);
                });
    }

    private static String difference(String module, String before, String now) {
        List<String> removed = new ArrayList<>(before.lines().toList());
        now.lines().forEach(removed::remove);
        List<String> added = new ArrayList<>(now.lines().toList());
        before.lines().forEach(added::remove);
        return module
                + (now.isEmpty() ? " (no such jar)" : before.isEmpty() ? " (new)" : "")
                + "\n"
                + removed.stream().map(line -> "  - " + line + "\n").collect(Collectors.joining())
                + added.stream().map(line -> "  + " + line + "\n").collect(Collectors.joining());
    }

    private static Set<String> expectedModules() throws IOException {
        try (Stream<Path> files = Files.list(EXPECTED)) {
            return files.map(file -> file.getFileName().toString().replaceFirst("\\.txt$", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        Set<String> all = new LinkedHashSet<>(one);
        all.addAll(other);
        return all;
    }

    /** The output of the jar tool for each of Varve's jars, by module. */
    private static SortedMap<String, String> descriptors() throws IOException {
        SortedMap<String, String> descriptors = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Varve.INSTALLATION)) {
            for (Path jar : files.filter(ModuleDescriptorsIT::isModuleOfOurs).toList()) {
                String text = describe(jar);
                descriptors.put(text.substring(0, text.indexOf('\n')), text);
            }
        }
        return descriptors;
    }

    /** The test kit needs native access in tests only, and is no module. */
    private static boolean isModuleOfOurs(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith("varve-")
                && name.endsWith(".jar")
                && !name.startsWith("varve-testkit-");
    }

    /** Without the path and the version behind the module's name. */
    private static String describe(Path jar) {
        StringWriter out = new StringWriter();
        ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
        int status =
                tool.run(
                        new PrintWriter(out),
                        new PrintWriter(out),
                        "--describe-module",
                        "--file=" + jar);
        assertEquals(0, status, jar + ": " + out);
        return out.toString()
                        .strip()
                        .lines()
                        .map(String::stripTrailing)
                        .collect(Collectors.joining("\n"))
                        .replaceFirst("[@ ].*", "")
                + "\n";
    }
}
