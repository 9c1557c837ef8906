package dev.varve.platform.wire.unix;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.VarveException.Kind;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A listening socket and its file. Removes its own file when it is closed. */
final class UnixListener implements Listener {
    private final ServerSocketChannel channel;
    private final Path path;
    private final Object fileKey;
    private final AtomicBoolean closed = new AtomicBoolean();

    private UnixListener(ServerSocketChannel channel, Path path, Object fileKey) {
        this.channel = channel;
        this.path = path;
        this.fileKey = fileKey;
    }

    static UnixListener open(Path path) throws IOException {
        checkFolder(path.getParent());
        removeStale(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            return new UnixListener(channel, path, key(path));
        } catch (IOException e) {
            channel.close();
            throw new IOException(
                    String.format(Locale.ROOT, "unix:%s: %s", path, FileErrors.reason(e)), e);
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void checkFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            Files.createDirectories(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        }
        if (!Files.isDirectory(folder)) {
            throw new VarveException(
                    Kind.INVALID_REQUEST, folder + ": expected a folder, found another file");
        }
        Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(folder);
        if (allowed.contains(PosixFilePermission.GROUP_WRITE)
                || allowed.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new VarveException(
                    Kind.INVALID_REQUEST,
                    String.format(
                            Locale.ROOT,
                            "%s: other users can write to this folder (%s) and could replace the"
                                    + " socket; use a folder that only you can write to",
                            folder,
                            PosixFilePermissions.toString(allowed)));
        }
    }

    /** Removes a socket without a listener, which a killed process left. */
    private static void removeStale(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!isSocket(path)) {
            throw new IOException("unix:" + path + ": expected a socket, found another file");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // a full queue means that a process listens, so the probe must not wait
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            Files.deleteIfExists(path);
            return;
        } catch (NoSuchFileException e) {
            return;
        }
        throw new IOException("unix:" + path + ": another process listens here");
    }

    private static boolean isSocket(Path path) throws IOException {
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & 0170000) == 0140000;
    }

    private static Object key(Path path) throws IOException {
        return Files.getAttribute(path, "unix:fileKey", LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public String address() {
        return "unix:" + path;
    }

    @Override
    public Connection accept() throws IOException {
        return new UnixConnection(channel.accept(), "client of unix:" + path);
    }

    @Override
    public void close() {
        // Does not check whether the channel is open: an interrupt of the accepting thread closes
        // only that.
        if (closed.getAndSet(true)) {
            return;
        }
        try (channel) {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && key(path).equals(fileKey)) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // the next listener removes a socket without a listener
            path.toFile().deleteOnExit();
        }
    }
}
