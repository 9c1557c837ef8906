package dev.varve.platform.cli;

import dev.varve.platform.host.CacheFolder;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Environment of the process, read in one place.
 *
 * @param variables environment variables
 * @param home folder of the installation, where known
 * @param terminals which of the standard streams are terminals
 */
record Environment(Map<String, String> variables, Optional<Path> home, Set<Stream> terminals) {
    /** A standard stream of the process. */
    enum Stream {
        IN,
        OUT,
        ERR
    }

    /** System property with the folder of the installation, set by the launcher. */
    private static final String HOME_PROPERTY = "varve.home";

    /**
     * System property with the streams that are terminals, such as {@code "in out err"}; Java
     * cannot distinguish them.
     */
    private static final String TERMINAL_PROPERTY = "varve.terminal";

    Environment {
        variables = Map.copyOf(variables);
        terminals = Set.copyOf(terminals);
    }

    static Environment ofProcess() {
        Set<Stream> terminals = EnumSet.noneOf(Stream.class);
        String named = System.getProperty(TERMINAL_PROPERTY, "");
        for (Stream stream : Stream.values()) {
            if (named.contains(stream.name().toLowerCase(Locale.ROOT))) {
                terminals.add(stream);
            }
        }
        return new Environment(
                System.getenv(),
                Optional.ofNullable(System.getProperty(HOME_PROPERTY)).map(Path::of),
                terminals);
    }

    /** Value of a variable that is set and not blank. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
    }

    /**
     * Folder for unpacked libraries and other files that can be recreated.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if no folder is safe
     */
    Path cacheFolder() {
        return CacheFolder.of(this::variable);
    }

    /** Whether a person types and reads: both standard input and output are terminals. */
    boolean isInteractive() {
        return terminals.containsAll(Set.of(Stream.IN, Stream.OUT));
    }

    /**
     * Folder for files that a user would miss a little, such as a history; empty if the home folder
     * is unknown. It may not exist.
     */
    Optional<Path> stateFolder() {
        return variable("XDG_STATE_HOME")
                .map(Path::of)
                .filter(Path::isAbsolute)
                .or(
                        () ->
                                variable("HOME")
                                        .map(Path::of)
                                        .filter(Path::isAbsolute)
                                        .map(home -> home.resolve(".local/state")))
                .map(folder -> folder.resolve("varve"));
    }

    /** Folder of the installation's plugins. */
    Path pluginsFolder() {
        return home.orElse(Path.of("")).resolve("plugins");
    }

    /** Folder of the installation's demo models. */
    Path modelsFolder() {
        return home.orElse(Path.of("")).resolve("models");
    }
}
