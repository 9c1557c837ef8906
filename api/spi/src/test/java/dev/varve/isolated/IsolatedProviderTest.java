package dev.varve.isolated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.plugin.IsolatedProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

/**
 * A plugin's part is loaded once, with the jars beside it, and without those of others. In a
 * package of its own, since classes of the API are not loaded again.
 */
class IsolatedProviderTest {
    /** A class in the plugin's jar. */
    public static final class Front {}

    /** A part that needs a library. */
    public static final class Part implements Supplier<Map<String, String>> {
        /** For the provider. */
        public Part() {}

        @Override
        public Map<String, String> get() {
            return Map.of(
                    "library",
                    Library.NAME,
                    "unsafe",
                    exists("sun.misc.Unsafe") ? "seen" : "hidden");
        }

        private static boolean exists(String name) {
            try {
                Class.forName(name, false, Part.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }

    /** A class of a library. */
    static final class Library {
        static final String NAME = String.valueOf("a library");
    }

    @TempDir Path folder;

    @Test
    void isolatedProviderHasItsOwnClassLoader() throws Exception {
        Path jar = jar("plugin.jar", Front.class, Part.class);
        Files.createDirectory(folder.resolve("lib"));
        jar("lib/library.jar", Library.class);
        URL[] urls = {jar.toUri().toURL()};
        try (URLClassLoader loader =
                new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            Class<?> front = loader.loadClass(Front.class.getName());
            Supplier<?> part = provider(front, Part.class.getName()).get();

            assertEquals(Map.of("library", "a library", "unsafe", "hidden"), part.get());
            assertNotSame(loader, part.getClass().getClassLoader());
            assertNotSame(Part.class, part.getClass());
        }
    }

    @Test
    void withoutALibraryFolderTheProviderUsesThePluginClassLoader() {
        IsolatedProvider<Supplier<?>> provider = provider(Front.class, Part.class.getName());

        assertInstanceOf(Part.class, provider.get());
        assertSame(provider.get(), provider.get());
    }

    @Test
    void providerThatCannotBeLoadedIsUnavailable() {
        VarveException failure =
                assertThrows(VarveException.class, provider(Front.class, "acme.Missing")::get);

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertEquals(
                "plugin acme: java.lang.ClassNotFoundException: acme.Missing",
                failure.getMessage());
    }

    @SuppressWarnings("unchecked")
    private static IsolatedProvider<Supplier<?>> provider(Class<?> front, String part) {
        return new IsolatedProvider<>(
                front, (Class<Supplier<?>>) (Class<?>) Supplier.class, part, "plugin acme");
    }

    private Path jar(String name, Class<?>... classes) throws IOException {
        Path jar = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Class<?> each : classes) {
                String file = each.getName().replace('.', '/') + ".class";
                out.putNextEntry(new ZipEntry(file));
                try (InputStream in = each.getClassLoader().getResourceAsStream(file)) {
                    in.transferTo(out);
                }
            }
        }
        return jar;
    }
}
