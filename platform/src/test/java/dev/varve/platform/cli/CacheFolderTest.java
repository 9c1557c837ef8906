package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class CacheFolderTest {
    @TempDir Path folder;

    private Path home;
    private Path temporary;
    private Path own;

    @BeforeEach
    void makeFolders() throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
        temporary = Files.createDirectory(folder.resolve("tmp"));
        own = temporary.resolve("varve-" + Files.getAttribute(folder, "unix:uid"));
    }

    private Path find(Object... variables) {
        Map<String, String> all = new HashMap<>();
        all.put("TMPDIR", temporary.toString());
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i].toString(), variables[i + 1].toString());
        }
        return CacheFolder.of(new Environment(all, Optional.empty(), Set.of()));
    }

    /** As good as another user's: the administrator can give files away, others close them. */
    private Path foreign(Path path) throws IOException {
        if ((Integer) Files.getAttribute(path, "unix:uid") == 0) {
            Files.setOwner(
                    path,
                    path.getFileSystem()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName("nobody"));
        } else {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("r-xr-xr-x"));
        }
        return path;
    }

    @Test
    void whatIsNamedIsTakenInOrder() {
        Path cache = folder.resolve("cache");
        Path xdg = folder.resolve("xdg");

        assertEquals(cache, find("VARVE_CACHE", cache, "XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(xdg.resolve("varve"), find("XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(home.resolve(".cache/varve"), find("HOME", home));
        assertEquals(
                home.resolve(".cache/varve"), find("XDG_CACHE_HOME", "relative", "HOME", home));
    }

    @Test
    void aHomeThatIsNotThereIsNotMade() throws IOException {
        Path missing = folder.resolve("missing");

        Path found = find("HOME", missing);

        assertEquals(own, found);
        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(found)));
        assertFalse(Files.exists(missing));
        assertEquals(found, find("HOME", missing), "the second time it is there");
    }

    @Test
    void anotherUsersFoldersAreLeftAlone() throws IOException {
        foreign(Files.createDirectories(home.resolve(".cache/varve")));
        Path xdg = foreign(Files.createDirectory(folder.resolve("xdg")));

        assertEquals(own, find("XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(own, find("HOME", foreign(home)));
    }

    @Test
    void aTemporaryFolderThatOthersCouldHaveMadeIsRefused() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.createSymbolicLink(own, elsewhere);
        refused(own + " is not a folder of this user alone");

        Files.delete(own);
        Files.createDirectory(own);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwx---"));
        refused(own + " is not a folder of this user alone");

        Files.delete(own);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxrwxrwx"));
        refused(temporary + " lets others replace what is in it");
    }

    private void refused(String reason) {
        VarveException error =
                assertThrows(VarveException.class, () -> find("HOME", folder.resolve("missing")));

        assertTrue(error.getMessage().contains(reason), error.getMessage());
        assertTrue(error.getMessage().contains("there is no home folder"), error.getMessage());
        assertTrue(error.getMessage().endsWith("set VARVE_CACHE to a folder of your own"));
    }
}
