package dev.varve.plugin.cuda;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Folders that may hold CUDA's runtime libraries although the dynamic loader does not search them:
 * those of a toolkit, and of NVIDIA's Python packages, which install into {@code nvidia/cu13/lib},
 * {@code nvidia/cublas/lib} and the like below a folder of packages.
 *
 * @param root of the file system
 * @param variables environment variables by name
 */
record CudaFolders(Path root, Function<String, Optional<String>> variables) {
    /** Returns the existing folders: the toolkit first, then active environments, then others. */
    List<Path> find() {
        Set<Path> found = new LinkedHashSet<>();
        for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
            variable(variable).ifPresent(home -> toolkit(home, found));
        }
        for (Path home : below(root.resolve("usr/local"), "cuda*")) {
            toolkit(home, found);
        }
        for (Path prefix : prefixes()) {
            for (Path packages : packages(prefix)) {
                for (Path nvidia : below(packages, "nvidia")) {
                    for (Path component : below(nvidia, "*")) {
                        found.addAll(below(component, "lib"));
                    }
                }
            }
        }
        return List.copyOf(found);
    }

    private static void toolkit(Path home, Set<Path> found) {
        found.addAll(below(home, "lib64"));
        for (Path targets : below(home, "targets")) {
            for (Path target : below(targets, "x86_64-linux")) {
                found.addAll(below(target, "lib"));
            }
        }
    }

    /** Folders that have Python installed below them. */
    private Set<Path> prefixes() {
        Set<Path> prefixes = new LinkedHashSet<>();
        variable("VIRTUAL_ENV").ifPresent(prefixes::add);
        variable("CONDA_PREFIX").ifPresent(prefixes::add);
        variables
                .apply("PATH")
                .ifPresent(
                        path -> {
                            for (String folder : path.split(":")) {
                                Path bin = inRoot(folder);
                                if (folder.startsWith("/")
                                        && Files.exists(bin.resolve("python3"))) {
                                    prefixes.add(bin.resolve("..").normalize());
                                }
                            }
                        });
        variable("HOME").ifPresent(home -> prefixes.add(home.resolve(".local")));
        prefixes.add(root.resolve("usr/local"));
        prefixes.add(root.resolve("usr"));
        for (Path each : below(root.resolve("opt"), "*")) {
            prefixes.add(each);
            prefixes.addAll(below(each, "*"));
        }
        return prefixes;
    }

    private static List<Path> packages(Path prefix) {
        List<Path> found = new ArrayList<>();
        for (Path lib : below(prefix, "lib{,64}")) {
            for (Path python : below(lib, "python3*")) {
                found.addAll(below(python, "{site,dist}-packages"));
            }
        }
        return found;
    }

    private Optional<Path> variable(String name) {
        return variables.apply(name).filter(value -> value.startsWith("/")).map(this::inRoot);
    }

    private Path inRoot(String absolute) {
        return root.resolve(absolute.replaceFirst("^/+", ""));
    }

    /** Folders in a folder whose names match a pattern, by name; none if it cannot be read. */
    private static List<Path> below(Path folder, String pattern) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
            for (Path entry : entries) {
                if (Files.isDirectory(entry)) {
                    found.add(entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        found.sort(null);
        return found;
    }
}
