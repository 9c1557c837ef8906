package dev.varve.platform.http.resume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.ApiException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The streams that the store keeps, their owners, and how long it keeps them. */
@Timeout(60)
class ResumableStreamStoreTest {
    private static final String OWNER = "a";
    private static final int SMALL = 1000;
    private static final Runnable NOTHING = () -> {};

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final ResumableStreamStore streams =
            new ResumableStreamStore(
                    new ResumableStreamLimits(3, SMALL, 2 * SMALL, Duration.ofSeconds(60)),
                    now::get);

    @AfterEach
    void close() {
        streams.close();
        assertEquals(0, streams.count());
    }

    private ResumableStream open() {
        return streams.open(OWNER, bytes(": wait\n\n"), cancelled::incrementAndGet).orElseThrow();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ResumableStream append(ResumableStream stream, int count) {
        for (int i = 0; i < count; i++) {
            stream.append(bytes("data: x\n\n"));
        }
        return stream;
    }

    private void passes(long seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
        streams.sweep();
    }

    private boolean isKept(ResumableStream stream) {
        return streams.find(stream.id(), OWNER).isPresent();
    }

    private static ResumableStream.Step next(ResumableStream.Reading reading)
            throws InterruptedException {
        return reading.next(Duration.ZERO);
    }

    /** All that is there. */
    private static String rest(ResumableStream.Reading reading) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        while (next(reading) instanceof ResumableStream.Step.Event(byte[] event)) {
            text.append(new String(event, StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    @Test
    void eventsAreNumberedAndReadFromAnyNumber() throws Exception {
        ResumableStream stream = open();
        for (int i = 1; i <= 4; i++) {
            stream.append(bytes("data: " + i + "\n\n"));
        }
        stream.end("stop", 4);

        String all = rest(stream.read(0, NOTHING));
        String id = "id: " + stream.id() + ":";
        assertEquals(
                id
                        + "1\ndata: 1\n\n"
                        + id
                        + "2\ndata: 2\n\n"
                        + id
                        + "3\ndata: 3\n\n"
                        + id
                        + "4\ndata: 4\n\n",
                all);
        for (int read = 0; read <= 4; read++) {
            ResumableStream.Reading reading = stream.read(read, NOTHING);
            String rest = rest(reading);

            assertEquals(all.substring(all.length() - rest.length()), rest);
            assertEquals(4 - read, rest.split("data", -1).length - 1);
            assertEquals(new ResumableStream.Step.Ended("stop", 4), next(reading));
            assertEquals(read == 4, stream.isReadTo(read));
        }
        assertEquals(400, assertThrows(ApiException.class, () -> stream.read(5, NOTHING)).status());
    }

    @Test
    void readerGetsLaterEvents() throws Exception {
        ResumableStream stream = open();
        ResumableStream.Reading reading = stream.read(0, NOTHING);
        assertInstanceOf(ResumableStream.Step.Nothing.class, next(reading));

        Thread writer = Thread.startVirtualThread(() -> append(stream, 1).end("stop", 1));

        assertInstanceOf(ResumableStream.Step.Event.class, reading.next(Duration.ofSeconds(30)));
        assertInstanceOf(ResumableStream.Step.Ended.class, reading.next(Duration.ofSeconds(30)));
        writer.join();
    }

    @Test
    void laterReaderReplacesTheEarlierOne() throws Exception {
        ResumableStream stream = append(open(), 2);
        AtomicInteger aborted = new AtomicInteger();
        ResumableStream.Reading first = stream.read(0, aborted::incrementAndGet);
        next(first);

        ResumableStream.Reading second = stream.read(1, NOTHING);

        assertEquals(1, aborted.get());
        assertInstanceOf(ResumableStream.Step.CannotContinue.class, next(first));
        first.close();
        passes(1000);
        assertTrue(isKept(stream), "the second still reads");
        assertInstanceOf(ResumableStream.Step.Event.class, next(second));
        second.close();
        assertEquals(1, aborted.get());
    }

    @Test
    void streamKeepsItsLastEvents() throws Exception {
        ResumableStream stream = open();
        ResumableStream.Reading slow = stream.read(0, NOTHING);

        append(stream, 50);

        assertTrue(streams.bytes() <= SMALL, "kept " + streams.bytes());
        assertInstanceOf(ResumableStream.Step.CannotContinue.class, next(slow));
        ApiException gone = assertThrows(ApiException.class, () -> stream.read(1, NOTHING));
        assertEquals(410, gone.status());
        assertTrue(rest(stream.read(49, NOTHING)).startsWith("id: " + stream.id() + ":50\n"));

        stream.append(new byte[10 * SMALL]);
        assertInstanceOf(ResumableStream.Step.Event.class, next(stream.read(50, NOTHING)));
    }

    @Test
    void totalSizeIsLimited() {
        ResumableStream ended = append(open(), 6);
        ended.end("stop", 1);
        ResumableStream running = append(open(), 6);
        assertTrue(isKept(ended));

        ResumableStream third = append(open(), 6);

        assertFalse(isKept(ended), "what has ended makes room");
        assertTrue(isKept(running) && isKept(third));
        append(running, 50);
        append(third, 50);
        assertTrue(streams.bytes() <= 2 * SMALL, "kept " + streams.bytes());
    }

    @Test
    void numberOfStreamsIsLimited() {
        ResumableStream first = open();
        ResumableStream second = open();
        open();
        assertEquals(Optional.empty(), streams.open(OWNER, new byte[0], NOTHING));
        assertEquals(0, cancelled.get(), "nothing that runs is given up");

        second.end("stop", 1);
        open();

        assertTrue(isKept(first));
        assertFalse(isKept(second));
    }

    @Test
    void unreadStreamIsCancelledAfterATimeout() {
        ResumableStream stream = append(open(), 2);
        ResumableStream.Reading reading = stream.read(0, NOTHING);
        passes(1000);
        assertTrue(isKept(stream), "somebody reads");

        reading.close();
        passes(59);
        assertTrue(isKept(stream));
        assertFalse(stream.isCancelled());
        stream.read(0, NOTHING).close();
        passes(59);
        assertTrue(isKept(stream), "somebody came by");
        passes(1);

        assertFalse(isKept(stream));
        assertTrue(stream.isCancelled());
        assertEquals(1, cancelled.get());
        append(stream, 3);
        stream.end("", 0);
        assertEquals(0, streams.bytes());
    }

    @Test
    void finishedStreamIsRemovedAfterATimeout() {
        ResumableStream stream = append(open(), 2);
        stream.end("stop", 2);
        stream.read(0, NOTHING).close();
        passes(59);
        assertTrue(isKept(stream));
        passes(1);

        assertFalse(isKept(stream));
        assertEquals(0, streams.bytes());
    }

    @Test
    void onlyItsOwnerFindsAStream() {
        ResumableStream stream = open();

        assertTrue(isKept(stream));
        assertEquals(Optional.empty(), streams.find(stream.id(), "b"));
        assertEquals(Optional.empty(), streams.find("stream-1", OWNER));
    }

    @Test
    void readerOfACancelledStreamReadsToItsEnd() throws Exception {
        ResumableStream stream = append(open(), 1);
        try (ResumableStream.Reading reading = stream.read(0, NOTHING)) {
            streams.cancel(stream);
            assertEquals(1, cancelled.get());
            assertFalse(isKept(stream));
            append(stream, 1).end("error", 1);

            assertEquals(2, rest(reading).split("data", -1).length - 1);
            assertInstanceOf(ResumableStream.Step.Ended.class, next(reading));
        }
        assertEquals(0, streams.bytes());
    }

    @Test
    void stoppingServerWaitsForNoReader() {
        ResumableStream unread = open();
        ResumableStream read = open();
        ResumableStream.Reading reading = read.read(0, NOTHING);

        streams.drain();
        assertFalse(isKept(unread));
        assertTrue(isKept(read));

        reading.close();
        streams.sweep();
        assertEquals(2, cancelled.get());
    }

    @Test
    void requestsSelectResumability() {
        assertFalse(ResumePolicy.ON_REQUEST.isResumable(Optional.empty()));
        assertTrue(ResumePolicy.ON_REQUEST.isResumable(Optional.of(" 1 ")));
        assertTrue(ResumePolicy.ON_REQUEST.isResumable(Optional.of("True")));
        assertTrue(ResumePolicy.ALWAYS.isResumable(Optional.empty()));
        assertFalse(ResumePolicy.ALWAYS.isResumable(Optional.of("0")));
    }
}
