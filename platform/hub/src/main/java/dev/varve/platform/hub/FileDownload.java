package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.digest.Sha256;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Downloads one file into a part file and checks its digest. A part that an earlier process left is
 * resumed. The entity tag of the server is kept beside it in a file with the suffix {@value
 * #TAG_SUFFIX}: {@code If-Range} then starts again if the server has other bytes now. For one
 * thread; the caller holds the lock of the part.
 */
final class FileDownload {
    static final String TAG_SUFFIX = ".etag";

    /** Digits of Git's object ids, which are SHA-1. */
    private static final int GIT_DIGITS = 40;

    private static final int BUFFER = 1 << 20;

    /**
     * A file on a server.
     *
     * @param name for messages
     * @param bytes its length; empty if unknown
     * @param digest expected digest, as in {@link HubFile#digest}; empty if unknown
     * @param folderVariable environment variable that names the folder of such files
     * @param refusal exception for a response that is no content
     */
    record Source(
            String name,
            URI uri,
            OptionalLong bytes,
            Optional<String> digest,
            String folderVariable,
            Function<Reply, VarveException> refusal) {}

    /** Shared by all downloads of a pull. */
    record Tools(HubHttp http, Retries retries, DiskSpace space) {}

    /** Receives the bytes in the part file, and the length of the file, 0 if it is unknown. */
    interface Progress {
        void show(long doneBytes, long totalBytes);
    }

    private final HubHttp http;
    private final Retries retries;
    private final Source source;
    private final Path part;
    private final DiskSpace space;
    private final Progress progress;

    private MessageDigest content;
    private Optional<String> expected;
    private OptionalLong totalBytes;
    private long position;

    /** Furthest position so far: an attempt that ends before it made no progress. */
    private long furthest;

    FileDownload(Tools tools, Source source, Path part, Progress progress) {
        http = tools.http();
        retries = tools.retries();
        space = tools.space();
        this.source = source;
        this.part = part;
        this.progress = progress;
        expected = source.digest();
        totalBytes = source.bytes();
        content = newDigest();
    }

    /**
     * Completes the part file.
     *
     * @throws VarveException of kind CORRUPT_FILE if the content has another digest; the part is
     *     deleted then. Of kind UNAVAILABLE if the server cannot be reached, and UNREADABLE_FILE if
     *     the file cannot be written; the part stays
     */
    void run() throws InterruptedException {
        boolean resumed = download();
        if (matches()) {
            return;
        }
        if (!resumed) {
            throw wrongDigest();
        }
        // The part of an earlier process may be damaged: the second attempt starts without it.
        delete();
        download();
        if (!matches()) {
            throw wrongDigest();
        }
    }

    /** Returns whether the part file had content before. */
    private boolean download() throws InterruptedException {
        try (FileChannel file =
                FileChannel.open(
                        part,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            readExisting(file);
            boolean resumed = position > 0;
            retries.run(
                    () -> {
                        attempt(file);
                        return null;
                    },
                    () -> furthest,
                    "; the next command resumes the download");
            file.force(true);
            return resumed;
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw cannotWrite(e);
        }
    }

    private void readExisting(FileChannel file) throws IOException {
        restart(file, file.size());
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        for (long end = file.size(); position < end; position += buffer.limit()) {
            file.read(buffer.clear(), position);
            content.update(buffer.flip().asReadOnlyBuffer());
        }
        furthest = position;
        progress.show(position, totalBytes.orElse(0));
    }

    /** Begins again with a part of at most so many bytes, whose digest is not yet known. */
    private void restart(FileChannel file, long keptBytes) throws IOException {
        boolean tooLong = totalBytes.isPresent() && keptBytes > totalBytes.getAsLong();
        file.truncate(tooLong ? 0 : keptBytes);
        content = newDigest();
        position = 0;
    }

    private void attempt(FileChannel file) throws IOException, InterruptedException {
        if (totalBytes.isPresent() && position == totalBytes.getAsLong()) {
            return;
        }
        if (position > 0 && expected.isEmpty() && savedTag().isEmpty()) {
            // Nothing could show that the server still has the file of the part.
            restart(file, 0);
        }
        try (Reply reply = http.get(source.uri(), rangeHeaders())) {
            if (reply.status() == 416 && reply.totalBytes().orElse(-1) == position) {
                expected = expected.or(reply::linkedDigest);
                if (expected.isPresent()) {
                    return;
                }
            }
            switch (reply.status()) {
                case 200 -> restartFor(file, reply);
                case 206 -> {
                    if (reply.rangeBegin().orElse(-1) != position) {
                        restartFor(file, reply);
                        throw new IOException(
                                source.name() + ": the server resumes at another position");
                    }
                }
                case 416 -> {
                    restartFor(file, reply);
                    throw new IOException(source.name() + ": the server cannot resume");
                }
                default -> throw source.refusal().apply(reply);
            }
            accept(reply);
            copy(reply.body(), file);
        }
        if (totalBytes.isPresent() && position < totalBytes.getAsLong()) {
            throw new EOFException(
                    source.name()
                            + ": the connection ended after "
                            + position
                            + " of "
                            + totalBytes.getAsLong()
                            + " bytes");
        }
    }

    /** Begins again with the file that the server has now, which may be another one. */
    private void restartFor(FileChannel file, Reply reply) {
        try {
            restart(file, 0);
            expected = source.digest();
            totalBytes = source.bytes();
            Files.deleteIfExists(tagFile());
        } catch (IOException e) {
            reply.close();
            throw cannotWrite(e);
        }
    }

    private Map<String, String> rangeHeaders() {
        Map<String, String> headers = new HashMap<>();
        if (position > 0) {
            headers.put("Range", "bytes=" + position + "-");
            savedTag().ifPresent(tag -> headers.put("If-Range", tag));
        }
        return headers;
    }

    /** Compares the server's metadata with the expected, and keeps the entity tag. */
    private void accept(Reply reply) {
        expected = expected.or(reply::linkedDigest);
        if (reply.totalBytes().isPresent()) {
            long offered = reply.totalBytes().getAsLong();
            if (totalBytes.orElse(offered) != offered) {
                throw new VarveException(
                        VarveException.Kind.CORRUPT_FILE,
                        source.name()
                                + ": expected "
                                + totalBytes.getAsLong()
                                + " bytes, the server offers "
                                + offered);
            }
            totalBytes = reply.totalBytes();
            space.require(part, offered - position, source.folderVariable());
        }
        boolean endIsKnown =
                totalBytes.isPresent()
                        || expected.isPresent()
                        || reply.header("transfer-encoding").isPresent();
        if (!endIsKnown) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    source.name()
                            + ": expected a length or a digest of the file from the server, found"
                            + " neither, so that a lost connection would look like its end");
        }
        try {
            if (reply.strongTag().isPresent()) {
                Files.writeString(tagFile(), reply.strongTag().get());
            } else {
                Files.deleteIfExists(tagFile());
            }
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private void copy(TimedBody body, FileChannel file) throws IOException, InterruptedException {
        for (List<ByteBuffer> piece = body.next(); !piece.isEmpty(); piece = body.next()) {
            for (ByteBuffer bytes : piece) {
                if (totalBytes.isPresent()
                        && position + bytes.remaining() > totalBytes.getAsLong()) {
                    throw new EOFException(
                            source.name()
                                    + ": the server sends more than "
                                    + totalBytes.getAsLong()
                                    + " bytes");
                }
                write(bytes, file);
            }
            progress.show(position, totalBytes.orElse(0));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private void write(ByteBuffer bytes, FileChannel file) throws InterruptedException {
        content.update(bytes.duplicate());
        try {
            while (bytes.hasRemaining()) {
                int written = file.write(bytes, position);
                position += written;
            }
            furthest = Math.max(furthest, position);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw cannotWrite(e);
        }
    }

    private boolean matches() {
        return expected.isEmpty() || expected.get().equals(found());
    }

    private String found() {
        try {
            return HexFormat.of().formatHex(((MessageDigest) content.clone()).digest());
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("digests of the JDK can be cloned", e);
        }
    }

    private VarveException wrongDigest() {
        String found = found();
        delete();
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                source.name()
                        + ": expected the digest "
                        + expected.orElseThrow()
                        + ", found "
                        + found
                        + "; the download was deleted");
    }

    /** Deletes the part and its entity tag. */
    private void delete() {
        try {
            Files.deleteIfExists(part);
            Files.deleteIfExists(tagFile());
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private MessageDigest newDigest() {
        if (source.digest().filter(text -> text.length() == GIT_DIGITS).isEmpty()) {
            return Sha256.begin();
        }
        try {
            MessageDigest git = MessageDigest.getInstance("SHA-1");
            String header = "blob " + source.bytes().orElseThrow() + "\0";
            git.update(header.getBytes(StandardCharsets.US_ASCII));
            return git;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }

    private Optional<String> savedTag() {
        try {
            return Files.exists(tagFile())
                    ? Optional.of(Files.readString(tagFile())).filter(tag -> tag.startsWith("\""))
                    : Optional.empty();
        } catch (IOException e) {
            // Without the tag the digest still finds other bytes.
            return Optional.empty();
        }
    }

    private Path tagFile() {
        return part.resolveSibling(part.getFileName() + TAG_SUFFIX);
    }

    private VarveException cannotWrite(IOException e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                part
                        + ": cannot be written: "
                        + FileErrors.reason(e)
                        + "; the next attempt resumes it",
                e);
    }
}
