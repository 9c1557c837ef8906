package dev.varve.platform.wire;

import dev.varve.api.VarveException;
import dev.varve.api.VarveException.Kind;
import dev.varve.api.transport.Connection;
import dev.varve.platform.digest.Sha256;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Exchanges the hellos of both sides, before all other frames. */
final class Handshake {
    private final Connection connection;
    private final WireOptions options;
    private final FrameReader reader;
    private final FrameWriter writer;

    Handshake(Connection connection, WireOptions options, FrameReader reader, FrameWriter writer) {
        this.connection = connection;
        this.options = options;
        this.reader = reader;
        this.writer = writer;
    }

    /** Result of the handshake. */
    record Outcome(NegotiatedParameters terms, Optional<RingFile.Rings> rings) {}

    /** Runs the handshake of the side that connected: it sends first. */
    Outcome connect() {
        return guarded(this::initiate);
    }

    /** Runs the handshake of the accepting side: it reads first. */
    Outcome accept() {
        return guarded(this::respond);
    }

    private interface Steps {
        Outcome run() throws IOException;
    }

    private Outcome guarded(Steps steps) {
        // Set before the connection closes: the reader may see the end before close() returns.
        AtomicBoolean late = new AtomicBoolean();
        Future<?> limit =
                WireTimer.after(
                        options.timeouts().handshake().toNanos(),
                        () -> {
                            late.set(true);
                            connection.close();
                        });
        try {
            Outcome outcome = steps.run();
            if (!limit.cancel(false)) {
                throw new IOException("closed");
            }
            return outcome;
        } catch (IOException e) {
            boolean over = late.get();
            limit.cancel(false);
            connection.close();
            throw new VarveException(Kind.UNAVAILABLE, connection.peer() + ": " + why(e, over), e);
        } catch (RuntimeException | Error e) {
            limit.cancel(false);
            connection.close();
            throw e;
        }
    }

    private String why(IOException e, boolean over) {
        if (over) {
            return "no handshake within " + options.timeouts().handshake().toMillis() + " ms";
        }
        return e instanceof EOFException
                ? "the other side closed during the handshake"
                : SendQueue.reason(e);
    }

    private Outcome initiate() throws IOException {
        Optional<RingFile.Created> file = Optional.empty();
        RingNonce nonce = RingNonce.random();
        if (mayUseRing()) {
            file = createRings(nonce);
        }
        try {
            Hello own =
                    Hello.of(options, file.map(RingFile.Created::address), nonce, options.token());
            writer.write(ControlFrame.hello(own));
            Hello peer = readAcknowledgement();
            boolean shared = peer.rings().address().isPresent() && file.isPresent();
            if (!shared && options.sharedMemory().mode() == SharedMemoryMode.SHARED) {
                throw new IOException("shared memory is required, but " + peer.words().note());
            }
            return new Outcome(
                    terms(peer, 1), shared ? file.map(RingFile.Created::rings) : Optional.empty());
        } finally {
            file.ifPresent(RingFile.Created::close);
        }
    }

    private boolean mayUseRing() throws IOException {
        if (options.sharedMemory().mode() == SharedMemoryMode.SHARED && !connection.sameHost()) {
            throw new IOException(
                    "shared memory is required, but the other side is on another host");
        }
        return options.sharedMemory().mode() != SharedMemoryMode.STREAM && connection.sameHost();
    }

    private Optional<RingFile.Created> createRings(RingNonce nonce) throws IOException {
        try {
            return Optional.of(
                    RingFile.create(RingFile.folder(), nonce, options.sharedMemory().ringBytes()));
        } catch (IOException | RuntimeException e) {
            if (options.sharedMemory().mode() == SharedMemoryMode.SHARED) {
                throw new IOException("shared memory is required, but: " + e.getMessage(), e);
            }
            return Optional.empty();
        }
    }

    private Hello readAcknowledgement() throws IOException {
        FrameHeader header = firstHeader();
        if (header.type() == FrameType.ERROR && header.metaBytes() > 0) {
            ByteBuffer meta = reader.meta(header);
            throw new IOException("refused: " + WireText.decode(meta.position(1)));
        }
        if (header.type() != FrameType.HELLO_ACK) {
            throw new FrameException(
                    "expected a response to the greeting, found frame type " + header.type());
        }
        return Hello.decode(reader.meta(header));
    }

    private Outcome respond() throws IOException {
        Hello peer = readHello();
        Optional<RingFile.Rings> rings = Optional.empty();
        String note = "";
        Hello.Rings offer = peer.rings();
        if (offer.address().isEmpty()) {
            note = "it was not offered";
        } else if (options.sharedMemory().mode() == SharedMemoryMode.STREAM
                || !connection.sameHost()) {
            note = "the other side does not use it";
        } else {
            try {
                rings =
                        Optional.of(
                                RingFile.open(offer.address().get(), offer.nonce(), offer.bytes()));
            } catch (IOException | RuntimeException e) {
                note = "the other side could not map it: " + e.getMessage();
            }
        }
        if (rings.isEmpty() && options.sharedMemory().mode() == SharedMemoryMode.SHARED) {
            throw refuse(
                    WireErrorCode.UNAVAILABLE, "this side requires shared memory, but " + note);
        }
        Hello own =
                Hello.of(
                                options,
                                rings.flatMap(mapped -> offer.address()),
                                offer.nonce(),
                                Optional.empty())
                        .withNote(note);
        writer.write(ControlFrame.helloAck(own));
        return new Outcome(terms(peer, 2), rings);
    }

    private Hello readHello() throws IOException {
        Hello peer;
        try {
            FrameHeader header = firstHeader();
            if (header.type() != FrameType.HELLO) {
                throw new FrameException("expected a greeting, found frame type " + header.type());
            }
            peer = Hello.decode(reader.meta(header));
        } catch (FrameException e) {
            throw refuse(WireErrorCode.INVALID_REQUEST, e.getMessage());
        }
        if (peer.versions().lowest() > FrameHeader.VERSION
                || peer.versions().highest() < FrameHeader.VERSION) {
            throw refuse(
                    WireErrorCode.UNSUPPORTED,
                    String.format(
                            Locale.ROOT,
                            "protocol version: expected %d, found %d to %d; %s",
                            FrameHeader.VERSION,
                            peer.versions().lowest(),
                            peer.versions().highest(),
                            FrameHeader.SAME_RELEASE));
        }
        Optional<String> given = peer.words().token();
        if (options.token().isPresent() && !sameSecret(options.token().get(), given.orElse(""))) {
            throw refuse(
                    WireErrorCode.NOT_TRUSTED,
                    given.isEmpty() ? "a token is required" : "the token is wrong");
        }
        return peer;
    }

    private FrameHeader firstHeader() throws IOException {
        FrameHeader header = reader.header(0);
        if (header.metaBytes() > Hello.MAX_BYTES || header.requestId() != 0) {
            throw new FrameException(
                    "greeting: expected request 0 and at most "
                            + Hello.MAX_BYTES
                            + " bytes, found request "
                            + header.requestId()
                            + " and "
                            + header.metaBytes()
                            + " bytes");
        }
        return header;
    }

    private IOException refuse(WireErrorCode code, String reason) throws IOException {
        writer.write(ControlFrame.error(0, new WireException(code, reason)));
        return new IOException("refused: " + reason);
    }

    private NegotiatedParameters terms(Hello peer, long firstId) {
        return new NegotiatedParameters(
                new PeerInfo(
                        connection.peer(),
                        peer.words().identity().role(),
                        peer.words().identity().buildId()),
                firstId,
                Math.min(options.limits().maxFrameBytes(), peer.limits().maxFrameBytes()),
                peer.limits().byteCredit(),
                peer.limits().requestCredit());
    }

    /** Compares digests, so that the time reveals neither a common prefix nor the length. */
    private static boolean sameSecret(String expected, String found) {
        return MessageDigest.isEqual(Sha256.of(expected), Sha256.of(found));
    }
}
