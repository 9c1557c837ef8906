package dev.varve.platform.cli;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the process was started with, read in one place.
 *
 * @param variables environment variables
 * @param home the installation, where known
 * @param terminals which of the output streams are shown on a terminal
 */
record Environment(Map<String, String> variables, Optional<Path> home, Set<Stream> terminals) {
    /** An output stream. */
    enum Stream {
        OUT,
        ERR
    }

    /** System property with the folder of the installation, set by the launcher. */
    private static final String HOME_PROPERTY = "varve.home";

    /**
     * System property with the streams that are terminals, such as {@code "out err"}; Java cannot
     * tell them apart.
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

    /** A variable that is set and not blank. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(variables.get(name)).filter(value -> !value.isBlank());
    }

    /**
     * Folder for unpacked libraries and other things that can be made again.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if there is no safe place for it
     */
    Path cacheFolder() {
        return CacheFolder.of(this);
    }

    /** Plugins of the installation. */
    Path pluginsFolder() {
        return home.orElse(Path.of("")).resolve("plugins");
    }

    /** Demo models of the installation. */
    Path modelsFolder() {
        return home.orElse(Path.of("")).resolve("models");
    }
}
