package dev.varve.bench.kit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Unpacks the native libraries of plugins into one folder, where libllama finds them.
 *
 * <pre>
 * NativeUnpacker FOLDER JAR...
 * </pre>
 */
public final class NativeUnpacker {
    private NativeUnpacker() {}

    /** Unpacks the libraries. */
    public static void main(String... arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        for (int i = 1; i < arguments.length; i++) {
            try (JarFile jar = new JarFile(arguments[i])) {
                unpack(jar, folder);
            }
        }
    }

    private static void unpack(JarFile jar, Path folder) throws IOException {
        Enumeration<JarEntry> entries = jar.entries();
        while (entries.hasMoreElements()) {
            JarEntry entry = entries.nextElement();
            String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
            if (name.endsWith(".so")) {
                try (InputStream in = jar.getInputStream(entry)) {
                    Files.copy(in, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
