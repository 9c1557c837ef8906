package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;

/**
 * Values under keys in a place that several servers read and write at once. Whatever is there may
 * be gone the next moment, and may come from anybody: callers check what they get. Several threads
 * may use it at once.
 *
 * <p>Keys are ASCII text without spaces. Every call waits for the store no longer than its limit
 * and then fails, as it does where the store cannot be reached; the connection is made within that
 * limit. A later call tries anew.
 */
public interface SharedStore extends AutoCloseable {
    /** Takes what was read. */
    @FunctionalInterface
    interface Values {
        /**
         * Takes a value, in the order of the keys.
         *
         * @param index of its key
         * @param value empty if there is none, or not one of bytes; its own until the next call
         * @return whether the next one is wanted
         */
        boolean take(int index, ByteBuffer value);
    }

    /**
     * Reads values. They are asked for ahead of their turn, so that the way to the store is not
     * waited for once per value.
     *
     * @param mostBytes of a value; of a longer one only so many are read, and one more
     * @param limit how long the next value may take
     * @throws IOException if the store cannot be reached, or one took longer
     */
    void get(List<String> keys, int mostBytes, Duration limit, Values taker) throws IOException;

    /**
     * Which of some keys have values, whatever these are.
     *
     * @param limit how long all may take together
     * @throws IOException if the store cannot be reached, or it took longer
     */
    BitSet has(List<String> keys, Duration limit) throws IOException;

    /**
     * Keeps a value for the store's time; one that was there before is replaced.
     *
     * @param value what remains in the buffer, which is left as it was
     * @throws IOException if it is not kept, as far as is known
     */
    void put(String key, ByteBuffer value, Duration limit) throws IOException;

    /**
     * Sets a bit of a value, in one step, whoever else sets another one. Bit 0 is the highest one
     * of the first byte; a value that is missing has none set.
     *
     * @throws IOException if it is not set, as far as is known
     */
    void mark(String key, int bit, Duration limit) throws IOException;

    /**
     * Lets the time of values begin anew; those that are not there stay so.
     *
     * @throws IOException if the store cannot be reached, or it took longer
     */
    void touch(List<String> keys, Duration limit) throws IOException;

    /**
     * Deletes all values whose keys begin with a text. What comes meanwhile may stay.
     *
     * @param prefix letters, digits and colons
     * @param limit how long each step may take
     * @throws IOException if the store cannot be reached, or it took longer
     */
    void deleteAll(String prefix, Duration limit) throws IOException;

    /**
     * Finds out whether the store answers, and does as it is told.
     *
     * @throws IOException if it does not
     */
    void ping(Duration limit) throws IOException;

    /** Closes connections. Calls under way fail; later ones do so at once. Never fails. */
    @Override
    void close();
}
