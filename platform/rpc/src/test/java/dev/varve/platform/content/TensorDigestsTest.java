package dev.varve.platform.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Digests of a small file's tensors, and what is remembered of them. */
class TensorDigestsTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-02T03:04:05.678Z");

    @TempDir Path folder;
    private Path file;
    private Path record;

    @BeforeEach
    void write() throws Exception {
        file = PlainModel.mixed(64).write(Files.createDirectory(folder.resolve("models")));
        age(file);
        record = DigestRecords.beside(file);
    }

    private static void age(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
    }

    private List<GgufTensor> tensors() {
        return List.copyOf(GgufFile.open(file).tensors());
    }

    private TensorDigests fresh() {
        return TensorDigests.cachedIn(folder.resolve("cache"));
    }

    /** Bytes that another process reads for the digests of some tensors. */
    private long bytesRead(List<GgufTensor> tensors) {
        AtomicLong bytes = new AtomicLong();
        fresh().of(tensors, bytes::addAndGet);
        return bytes.get();
    }

    private static long bytes(List<GgufTensor> tensors) {
        return tensors.stream().mapToLong(GgufTensor::bytes).sum();
    }

    private void remember() {
        assertEquals(bytes(tensors()), bytesRead(tensors()));
    }

    @Test
    void digestIsThatOfTheTensorBytes() throws Exception {
        byte[] all = Files.readAllBytes(file);

        Map<String, String> digests = fresh().of(tensors(), bytes -> {});

        assertEquals(
                tensors().stream().map(GgufTensor::name).toList(), List.copyOf(digests.keySet()));
        for (GgufTensor tensor : tensors()) {
            int begin = Math.toIntExact(tensor.offset());
            byte[] its = Arrays.copyOfRange(all, begin, begin + (int) tensor.bytes());
            assertEquals(
                    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(its)),
                    digests.get(tensor.name()),
                    tensor.name());
        }
    }

    @Test
    void anotherProcessReadsNoTensorAgain() {
        Map<String, String> first = fresh().of(tensors(), bytes -> {});

        Map<String, String> second =
                fresh().of(
                                tensors(),
                                bytes -> {
                                    throw new AssertionError("a tensor was read again");
                                });

        assertEquals(first, second);
        assertTrue(Files.exists(record));
    }

    @Test
    void onlyTensorsWithoutADigestAreRead() {
        List<GgufTensor> some = tensors().subList(0, 3);
        bytesRead(some);

        assertEquals(bytes(tensors()) - bytes(some), bytesRead(tensors()));
        assertEquals(0, bytesRead(some));
    }

    @Test
    void modifiedFileIsReadAgain() throws Exception {
        remember();
        Files.setLastModifiedTime(file, FileTime.from(LONG_AGO.plusMillis(1)));

        assertEquals(bytes(tensors()), bytesRead(tensors()));
    }

    @Test
    void replacedFileIsReadAgain() throws Exception {
        remember();
        Path other = Files.copy(file, folder.resolve("other.gguf"));
        age(other);
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);

        assertEquals(bytes(tensors()), bytesRead(tensors()));
    }

    /** A later write might leave the time as it is, where the clock ticks slowly. */
    @Test
    void freshlyWrittenFileIsNotCached() throws Exception {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(3600)));

        bytesRead(tensors());

        assertFalse(Files.exists(record));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cut", "digit", "empty", "text"})
    void damagedRecordIsIgnoredAndRewritten(String damage) throws Exception {
        remember();
        String text = Files.readString(record);
        Files.writeString(
                record,
                switch (damage) {
                    case "cut" -> text.substring(0, text.length() / 2);
                    case "digit" -> {
                        int at = text.length() / 2;
                        char other = text.charAt(at) == '7' ? '8' : '7';
                        yield text.substring(0, at) + other + text.substring(at + 1);
                    }
                    case "empty" -> "";
                    default -> "no digests\n";
                });

        assertEquals(bytes(tensors()), bytesRead(tensors()));
        assertEquals(text, Files.readString(record));
        assertEquals(0, bytesRead(tensors()));
    }

    @Test
    void recordWritableByOthersIsIgnored() throws Exception {
        remember();
        Files.setPosixFilePermissions(record, PosixFilePermissions.fromString("rw-rw-rw-"));

        assertEquals(bytes(tensors()), bytesRead(tensors()));
        assertEquals(0, bytesRead(tensors()), "it was written anew, for its owner alone");
    }

    @Test
    void linkInPlaceOfARecordIsReplaced() throws Exception {
        remember();
        Path elsewhere = Files.move(record, folder.resolve("elsewhere"));
        Files.createSymbolicLink(record, elsewhere);

        assertEquals(bytes(tensors()), bytesRead(tensors()));
        assertTrue(Files.isRegularFile(record, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void recordFallsBackToTheCacheFolder() throws Exception {
        // A folder that is not empty has the path of the record. No file can replace it.
        Files.createFile(Files.createDirectory(record).resolve("full"));

        assertEquals(bytes(tensors()), bytesRead(tensors()));

        assertEquals(0, bytesRead(tensors()));
        try (Stream<Path> records = Files.list(folder.resolve("cache").resolve("digests"))) {
            assertEquals(1, records.count());
        }
        try (Stream<Path> left = Files.list(file.getParent())) {
            assertEquals(2, left.count(), "nothing half written is left");
        }
    }

    @Test
    void fileThatChangesDuringTheReadIsRefused() {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                fresh().of(
                                                tensors(),
                                                bytes -> {
                                                    try {
                                                        Files.setLastModifiedTime(
                                                                file, FileTime.from(Instant.EPOCH));
                                                    } catch (IOException e) {
                                                        throw new AssertionError(e);
                                                    }
                                                }));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, refusal.kind());
        assertTrue(
                refusal.getMessage().startsWith(file + ": changed after it was opened: expected "),
                refusal.getMessage());
        assertFalse(Files.exists(record));
    }

    @Test
    void concurrentWritersLeaveAWholeRecord() {
        List<GgufTensor> tensors = tensors();
        List<CompletableFuture<Void>> processes =
                IntStream.range(0, tensors.size())
                        .mapToObj(i -> tensors.subList(i, i + 1))
                        .map(one -> CompletableFuture.runAsync(() -> bytesRead(one)))
                        .toList();
        processes.forEach(CompletableFuture::join);

        long read = bytesRead(tensors);

        assertNotEquals(bytes(tensors), read, "one of them at least is remembered");
        assertEquals(0, bytesRead(tensors));
    }

    @Test
    void filesAreIdentifiedByStateAndNotByName() throws Exception {
        Path link = Files.createLink(folder.resolve("linked.gguf"), file);
        Path copy = Files.copy(file, folder.resolve("copied.gguf"));
        age(copy);

        assertEquals(FileIdentity.digest(List.of(file)), FileIdentity.digest(List.of(link)));
        assertNotEquals(FileIdentity.of(file), FileIdentity.of(copy));
    }
}
