package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

class CacheFolderTest {
    @TempDir Path folder;

    private Path home;
    private Path temporary;
    private Path own;

    @BeforeEach
    void makeFolders() throws IOException {
        folder = folder.toRealPath();
        home = make(folder.resolve("home"));
        temporary = make(folder.resolve("tmp"));
        own = temporary.resolve("varve-" + Files.getAttribute(folder, "unix:uid"));
    }

    /** Makes a folder, and those above it, that others cannot write to whatever the umask is. */
    private static Path make(Path path) throws IOException {
        return Files.createDirectories(
                path,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static Path open(Path path, int mode) throws IOException {
        return Files.setAttribute(path, "unix:mode", mode);
    }

    private boolean isRoot() throws IOException {
        return (Integer) Files.getAttribute(folder, "unix:uid") == 0;
    }

    private Path find(Object... variables) {
        Map<String, String> all = new HashMap<>();
        all.put("TMPDIR", temporary.toString());
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i].toString(), variables[i + 1].toString());
        }
        return CacheFolder.of(name -> Optional.ofNullable(all.get(name)));
    }

    /** As good as another user's: the administrator can give files away, others close them. */
    private Path foreign(Path path) throws IOException {
        if (isRoot()) {
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
    void configuredFoldersAreUsedInOrder() {
        Path cache = folder.resolve("cache");
        Path xdg = folder.resolve("xdg");

        assertEquals(cache, find("VARVE_CACHE", cache, "XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(xdg.resolve("varve"), find("XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(home.resolve(".cache/varve"), find("HOME", home));
        assertEquals(
                home.resolve(".cache/varve"), find("XDG_CACHE_HOME", "relative", "HOME", home));
    }

    @Test
    void folderIsCreatedForItsUserOnly() throws IOException {
        Path found = find("XDG_CACHE_HOME", folder.resolve("new/xdg"));

        assertEquals(folder.resolve("new/xdg/varve"), found);
        for (Path made = found; !made.equals(folder); made = made.getParent()) {
            assertEquals(
                    "rwx------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(made)),
                    made.toString());
        }
    }

    @Test
    void missingHomeIsNotCreated() throws IOException {
        Path missing = folder.resolve("missing");

        Path found = find("HOME", missing);

        assertEquals(own, found);
        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(found)));
        assertFalse(Files.exists(missing));
        assertEquals(found, find("HOME", missing), "the second time it is there");
    }

    @Test
    void foldersOfOtherUsersAreNotUsed() throws IOException {
        foreign(make(home.resolve(".cache/varve")));
        Path xdg = foreign(make(folder.resolve("xdg")));

        assertEquals(own, find("XDG_CACHE_HOME", xdg, "HOME", home));
        assertEquals(own, find("HOME", foreign(home)));
    }

    @Test
    void folderWritableByOthersIsNotUsed() throws IOException {
        Path cache = make(home.resolve(".cache/varve"));
        for (int mode : new int[] {0777, 0770, 01777, 0702}) {
            open(cache, mode);

            assertEquals(own, find("HOME", home), Integer.toOctalString(mode));
        }
        open(cache, 0755);
        assertEquals(cache, find("HOME", home));
    }

    @Test
    void folderReplaceableByOthersIsNotUsed() throws IOException {
        Path cache = make(home.resolve(".cache/varve"));
        for (Path parent : new Path[] {home.resolve(".cache"), home}) {
            for (int mode : new int[] {0777, 0770}) {
                open(parent, mode);

                assertEquals(own, find("HOME", home), parent + " " + Integer.toOctalString(mode));
            }
            open(parent, 01777);
            assertEquals(cache, find("HOME", home), "the sticky bit protects it in " + parent);
        }
    }

    @Test
    void nothingIsCreatedInAFolderWritableByOthers() throws IOException {
        assertEquals(own, find("HOME", open(home, 0777)));

        assertFalse(Files.exists(home.resolve(".cache")));
    }

    @Test
    void symbolicLinkIsCheckedByItsTarget() throws IOException {
        Path target = make(folder.resolve("disk/cache"));
        Files.createSymbolicLink(home.resolve(".cache"), target);
        assertEquals(target.resolve("varve"), find("HOME", home));

        open(target.getParent(), 0777);
        assertEquals(own, find("HOME", home));
    }

    @Test
    void danglingLinkIsNotUsed() throws IOException {
        Files.createSymbolicLink(home.resolve(".cache"), folder.resolve("missing"));

        assertEquals(own, find("HOME", home));
        assertFalse(Files.exists(folder.resolve("missing")));
    }

    @Test
    void rootUsesNoFolderOfAnotherUser() throws IOException {
        assumeTrue(isRoot(), "only root can give folders away");
        make(home.resolve(".cache/varve"));
        Path others = foreign(make(folder.resolve("others")));
        make(others.resolve("cache/varve"));

        assertEquals(own, find("HOME", foreign(home)));
        assertEquals(own, find("XDG_CACHE_HOME", others.resolve("cache"), "HOME", home));
        Path link = Files.createSymbolicLink(folder.resolve("link"), others.resolve("cache"));
        assertEquals(own, find("XDG_CACHE_HOME", link, "HOME", home));

        temporary = others;
        refused(others + " belongs to another user");
        temporary = others.resolve("cache");
        refused(others + " belongs to another user");
        assertFalse(Files.exists(temporary.resolve(own.getFileName())));
    }

    @Test
    void missingTemporaryFolderIsNotCreated() {
        temporary = folder.resolve("none");

        refused("the folder is missing: " + temporary);
        assertFalse(Files.exists(temporary));
    }

    @Test
    void temporaryFolderCreatableByOthersIsRefused() throws IOException {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.createSymbolicLink(own, elsewhere);
        refused(own + " is a symbolic link");

        Files.delete(own);
        open(make(own), 01770);
        refused(own + " does not belong to this user, or other users can write to it");

        Files.delete(own);
        open(temporary, 0777);
        refused(temporary + " lets other users replace its content");
    }

    private void refused(String reason) {
        VarveException error =
                assertThrows(VarveException.class, () -> find("HOME", folder.resolve("missing")));

        assertTrue(error.getMessage().contains(reason), error.getMessage());
        assertTrue(error.getMessage().contains("the home folder is missing: "), error.getMessage());
        assertTrue(error.getMessage().endsWith("set VARVE_CACHE to a folder of your own"));
    }
}
