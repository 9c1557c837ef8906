package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;
import dev.varve.testkit.simulation.Simulation;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A link between two ends. It takes its time and holds a limited number of bytes; what is written
 * at once, a frame, it loses, repeats, damages, lets another one overtake or holds up as its faults
 * say. A cut ends both ends, with what is on its way.
 */
final class SimulatedLink {
    private static final int CAPACITY = 4096;
    private static final long LONGEST_WAY = 2_000_000;

    private final Simulation simulation = Simulation.current();
    private final SplittableRandom random = simulation.choices().split();
    private final Faults faults;
    private final Direction up = new Direction("up");
    private final Direction down = new Direction("down");
    private int happened;
    private boolean healed;

    /**
     * Rates of the faults: the link applies each kind to one of this many frames on average, and
     * never if the number is 0.
     *
     * @param stallMillis delay of a stalled frame and of the frames behind it
     */
    record Faults(
            int losses, int repeats, int damages, int overtakes, int stalls, long stallMillis) {
        static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);
    }

    SimulatedLink(Faults faults) {
        this.faults = faults;
    }

    Connection client() {
        return new End(down, up);
    }

    Connection server() {
        return new End(up, down);
    }

    /** Ends both ends at once. */
    void cut() {
        happened++;
        simulation.event("the link is cut");
        up.close();
        down.close();
    }

    /** Nothing goes wrong any more. */
    void heal() {
        healed = true;
    }

    /** How often anything went wrong. */
    int happened() {
        return happened;
    }

    /** Bytes, and when they are there. */
    private record Piece(ByteBuffer bytes, long at) {}

    /** One direction. */
    private final class Direction {
        private final String name;
        private final Deque<Piece> pieces = new ArrayDeque<>();
        private long last;
        private int held;
        private boolean closed;

        Direction(String name) {
            this.name = name;
        }

        private boolean isDue(int oneIn, String what) {
            boolean due = oneIn > 0 && !healed && random.nextInt(oneIn) == 0;
            if (due) {
                happened++;
                simulation.event("a frame on its way " + name + " is " + what);
            }
            return due;
        }

        synchronized void write(ByteBuffer frame) throws IOException {
            while (held > CAPACITY && !closed) {
                await(Long.MAX_VALUE);
            }
            if (closed) {
                throw new IOException("closed");
            }
            if (isDue(faults.losses(), "lost")) {
                return;
            }
            if (isDue(faults.damages(), "damaged")) {
                int at = random.nextInt(frame.remaining());
                frame.put(at, (byte) (frame.get(at) ^ 1 << random.nextInt(8)));
            }
            long delay = random.nextLong(LONGEST_WAY);
            if (isDue(faults.stalls(), "held up")) {
                delay += faults.stallMillis() * 1_000_000;
            }
            last = Math.max(last, System.nanoTime() + delay);
            boolean overtakes = !pieces.isEmpty() && isDue(faults.overtakes(), "overtaking");
            // The last one has not begun to arrive if nobody has read of it.
            if (overtakes && pieces.getLast().bytes().position() == 0) {
                Piece before = pieces.removeLast();
                pieces.add(new Piece(frame, before.at()));
                pieces.add(before);
            } else {
                pieces.add(new Piece(frame, last));
            }
            held += frame.remaining();
            if (isDue(faults.repeats(), "repeated")) {
                pieces.add(new Piece(frame.duplicate(), last));
                held += frame.remaining();
            }
            notifyAll();
        }

        synchronized void read(ByteBuffer target) throws IOException {
            while (target.hasRemaining()) {
                Piece first = pieces.peek();
                long left = first == null ? Long.MAX_VALUE : first.at() - System.nanoTime();
                if (closed && first == null) {
                    throw new EOFException("closed");
                }
                if (left > 0) {
                    await(left);
                    continue;
                }
                int count = Math.min(target.remaining(), first.bytes().remaining());
                target.put(first.bytes().slice(first.bytes().position(), count));
                first.bytes().position(first.bytes().position() + count);
                held -= count;
                if (!first.bytes().hasRemaining()) {
                    pieces.remove();
                }
                notifyAll();
            }
        }

        private void await(long nanos) throws IOException {
            try {
                wait(Math.clamp(nanos / 1_000_000 + 1, 1, Integer.MAX_VALUE));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        /** Takes no more. */
        synchronized void end() {
            closed = true;
            notifyAll();
        }

        /** Takes no more, and gives no more. */
        synchronized void close() {
            pieces.clear();
            end();
        }
    }

    /** The connection of one side: the direction that it reads and the one that it writes. */
    private record End(Direction in, Direction out) implements Connection {
        @Override
        public String peer() {
            return "simulated";
        }

        @Override
        public boolean sameHost() {
            return false;
        }

        @Override
        public void read(ByteBuffer target) throws IOException {
            in.read(target);
        }

        @Override
        public void write(ByteBuffer... parts) throws IOException {
            List<ByteBuffer> all = new ArrayList<>(List.of(parts));
            ByteBuffer frame =
                    ByteBuffer.allocate(all.stream().mapToInt(ByteBuffer::remaining).sum());
            all.forEach(part -> frame.put(part.duplicate()));
            out.write(frame.flip());
        }

        /** Frames that this side wrote earlier still arrive. */
        @Override
        public void close() {
            in.close();
            out.end();
        }
    }
}
