package dev.varve.platform.host;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginServiceKind;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Identifies the build of a plugin: SHA-256 over the jar, or over the names and the content of the
 * files of its folder.
 */
final class PluginDigest {
    /** Digest of a plugin without a file. */
    private static final String NO_FILE = "in memory";

    private static final int SHOWN_BYTES = 12;

    private PluginDigest() {}

    /** Returns the digest of the plugin that serves an architecture. */
    static String ofFamily(PluginCatalog catalog, String architecture) {
        return of(
                catalog,
                plugin ->
                        plugin.services().names(PluginServiceKind.FAMILIES).contains(architecture));
    }

    /** Returns the digest of the plugin that provides a backend. */
    static String ofBackend(PluginCatalog catalog, String backend) {
        return of(
                catalog,
                plugin -> plugin.services().names(PluginServiceKind.BACKENDS).contains(backend));
    }

    private static String of(PluginCatalog catalog, Predicate<LoadedPlugin> wanted) {
        return catalog.loaded().stream()
                .filter(wanted)
                .findFirst()
                .map(plugin -> of(plugin.file()))
                .orElse(NO_FILE);
    }

    /**
     * Returns the digest of a jar or a folder; one that cannot be read counts as having no file.
     */
    static String of(Path plugin) {
        try {
            MessageDigest digest = Sha256.begin();
            for (Path file : files(plugin)) {
                String name = plugin.relativize(file).toString();
                digest.update((name + '\0').getBytes(StandardCharsets.UTF_8));
                try (InputStream input =
                        new DigestInputStream(Files.newInputStream(file), digest)) {
                    input.transferTo(OutputStream.nullOutputStream());
                }
            }
            return HexFormat.of().formatHex(digest.digest(), 0, SHOWN_BYTES);
        } catch (IOException e) {
            return NO_FILE;
        }
    }

    private static List<Path> files(Path plugin) throws IOException {
        if (!Files.isDirectory(plugin)) {
            return List.of(plugin);
        }
        try (Stream<Path> files = Files.walk(plugin)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
