package dev.varve.platform.wire.unix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

class UnixTransportTest {
    private static final TransportOptions DEFAULTS = TransportOptions.defaults();

    private final UnixTransport unix = new UnixTransport();
    @TempDir private Path folder;

    private Path socket() {
        return folder.resolve("own/a.sock");
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void bytesArriveInOrderUntilThePeerCloses() throws IOException {
        try (Listener listener = unix.listen(socket().toString(), DEFAULTS)) {
            Connection client = unix.connect(socket().toString(), DEFAULTS);
            Connection server = listener.accept();
            client.write(ByteBuffer.wrap(new byte[] {1, 2}), ByteBuffer.wrap(new byte[] {3}));
            ByteBuffer found = ByteBuffer.allocate(3);
            server.read(found);
            client.close();

            assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), found.flip());
            assertThrows(EOFException.class, () -> server.read(ByteBuffer.allocate(1)));
            assertTrue(server.sameHost());
            server.close();
        }
    }

    @Test
    void socketAndFolderAreOwnerOnlyAndRemovedWithTheListener() throws IOException {
        Listener listener = unix.listen(socket().toString(), DEFAULTS);
        String folderMode = mode(socket().getParent());
        String fileMode = mode(socket());

        listener.close();

        assertEquals("rwx------", folderMode);
        assertEquals("rw-------", fileMode);
        assertEquals("unix:" + socket(), listener.address());
        assertFalse(Files.exists(socket()));
        listener.close();
    }

    @Test
    void socketIsRemovedAfterAnInterruptDuringAWait() throws IOException {
        Listener listener = unix.listen(socket().toString(), DEFAULTS);

        Thread.currentThread().interrupt();
        assertThrows(IOException.class, listener::accept);
        boolean interrupted = Thread.interrupted();
        listener.close();

        assertTrue(interrupted);
        assertFalse(Files.exists(socket()));
    }

    @Test
    void folderWritableByOthersIsRefused() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> unix.listen(shared.resolve("a.sock").toString(), DEFAULTS));

        assertTrue(error.getMessage().contains("other users can write"), error.getMessage());
    }

    @Test
    void staleSocketIsReplaced() throws IOException {
        Files.createDirectory(
                socket().getParent(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(socket()));
        }
        assertTrue(Files.exists(socket()), "a killed process leaves its file");

        try (Listener listener = unix.listen(socket().toString(), DEFAULTS);
                Connection client = unix.connect(socket().toString(), DEFAULTS);
                Connection server = listener.accept()) {
            assertTrue(server.sameHost() && client.sameHost());
        }
    }

    @Test
    void activeSocketIsKept() throws IOException {
        try (Listener first = unix.listen(socket().toString(), DEFAULTS)) {
            IOException error =
                    assertThrows(
                            IOException.class, () -> unix.listen(socket().toString(), DEFAULTS));

            assertEquals("unix:" + socket() + ": another process listens here", error.getMessage());
            assertTrue(Files.exists(socket()), first.address());
        }
    }

    @Test
    void fileThatIsNoSocketIsKept() throws IOException {
        Files.createDirectory(socket().getParent());
        Files.setPosixFilePermissions(
                socket().getParent(), PosixFilePermissions.fromString("rwx------"));
        Files.writeString(socket(), "precious");

        assertThrows(IOException.class, () -> unix.listen(socket().toString(), DEFAULTS));

        assertEquals("precious", Files.readString(socket()));
    }

    @Test
    void listenerRemovesOnlyItsOwnFile() throws IOException {
        Listener first = unix.listen(socket().toString(), DEFAULTS);
        // moved, so that the first file and its number live on and the second one differs
        Files.move(socket(), folder.resolve("own/moved"));
        try (Listener second = unix.listen(socket().toString(), DEFAULTS)) {
            first.close();

            assertTrue(Files.exists(socket()), second.address());
        }
    }

    @Test
    void closingAListenerEndsItsAccept() throws Exception {
        Listener listener = unix.listen(socket().toString(), DEFAULTS);
        Thread closer = Thread.ofVirtual().start(listener::close);

        assertThrows(IOException.class, listener::accept);

        closer.join();
    }

    @Test
    void tooLongPathIsRefusedWithTheLimit() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> unix.connect("/tmp/" + "x".repeat(103), DEFAULTS));

        assertTrue(
                error.getMessage().endsWith("the path has 108 bytes, a socket accepts at most 107"),
                error.getMessage());
    }

    @Test
    void addressWithoutAListenerIsNamed() {
        IOException error =
                assertThrows(IOException.class, () -> unix.connect(socket().toString(), DEFAULTS));

        assertTrue(error.getMessage().startsWith("unix:" + socket() + ": "), error.getMessage());
    }

    @Test
    void certificatesAreRefused() {
        TransportOptions options =
                new TransportOptions(
                        DEFAULTS.connectLimit(),
                        Optional.empty(),
                        Optional.of(Path.of("ca.pem")),
                        Optional.empty(),
                        false);

        assertThrows(VarveException.class, () -> unix.connect(socket().toString(), options));
        assertThrows(VarveException.class, () -> unix.listen("", DEFAULTS));
    }
}
