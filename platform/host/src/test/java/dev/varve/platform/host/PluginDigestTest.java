package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class PluginDigestTest {
    @TempDir Path folder;

    private Path jar(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void jarDigestDependsOnItsContentOnly() throws IOException {
        String first = PluginDigest.of(jar("first.jar", "one build"));

        assertEquals(first, PluginDigest.of(jar("copy.jar", "one build")));
        assertNotEquals(first, PluginDigest.of(jar("other.jar", "another one")));
        assertEquals(24, first.length());
    }

    @Test
    void folderDigestCoversAllItsFiles() throws IOException {
        jar("one/a.jar", "a");
        jar("one/lib/b.jar", "b");
        jar("two/a.jar", "a");
        jar("two/lib/b.jar", "b");
        jar("changed/a.jar", "a");
        jar("changed/lib/b.jar", "c");
        jar("renamed/a.jar", "a");
        jar("renamed/lib/c.jar", "b");
        jar("moved/a.jar", "ab");
        jar("moved/lib/b.jar", "");

        String one = PluginDigest.of(folder.resolve("one"));

        assertEquals(one, PluginDigest.of(folder.resolve("two")));
        for (String other : new String[] {"changed", "renamed", "moved"}) {
            assertNotEquals(one, PluginDigest.of(folder.resolve(other)), other);
        }
    }

    @Test
    void pluginWithoutAFileHasADigest() {
        assertEquals("in memory", PluginDigest.of(folder.resolve("missing.jar")));
    }

    @Test
    void familyAndBackendHaveTheDigestOfTheirPlugin() {
        // The plugins of this test come from a file that does not exist.
        assertEquals("in memory", PluginDigest.ofFamily(new PlainPlugins().catalog(), "plain"));
        assertEquals("in memory", PluginDigest.ofBackend(new PlainPlugins().catalog(), "cpu"));
        assertEquals("in memory", PluginDigest.ofBackend(new PlainPlugins().catalog(), "hip"));
    }
}
