package dev.varve.platform.prefix;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Loads of the first blocks of a prompt while a peer computes the later ones. The blocks stay
 * pinned until no request waits for them. Only the engine's thread calls it, except {@link #offer}
 * and {@link #isOpen}.
 */
final class EarlyPrefetch {
    private final SharedPrefetch.PrefetchStarter starter;
    private final AtomicReference<SharedSearch.Result> offered = new AtomicReference<>();
    private final List<StorePrefetch> loads = new ArrayList<>();
    private Optional<StorePrefetch> reading = Optional.empty();

    /** Position that the current load ends at. */
    private int target;

    private volatile int position;
    private volatile boolean open = true;

    /**
     * @param starter starts to read the blocks of a prefix that host memory does not have
     */
    EarlyPrefetch(SharedPrefetch.PrefetchStarter starter) {
        this.starter = starter;
    }

    /** Offers a longer prefix to read. Any thread. */
    void offer(SharedSearch.Result found) {
        offered.set(found);
    }

    /** Returns whether further blocks are read. Any thread. */
    boolean isOpen() {
        return open;
    }

    /** Reads no further blocks than those that are being read. */
    void close() {
        open = false;
    }

    /** Returns the number of leading tokens whose blocks were read. Any thread. */
    int position() {
        return position;
    }

    boolean isReading() {
        return reading.isPresent();
    }

    /** Returns whether a load has ended or can be started. */
    boolean hasNews() {
        return reading.map(StorePrefetch::hasEndedLoad).orElse(open && offered.get() != null);
    }

    /** Adopts the blocks of an ended load, and starts the next one. */
    void advance() {
        if (reading.filter(StorePrefetch::hasEndedLoad).isPresent()) {
            adopt(reading.get());
            reading = Optional.empty();
        }
        if (reading.isEmpty() && open) {
            Optional.ofNullable(offered.getAndSet(null)).ifPresent(this::start);
        }
    }

    private void adopt(StorePrefetch load) {
        load.take();
        if (load.isAdopted()) {
            position = target;
        } else {
            // The search after the prompt decides what the peer still has.
            close();
        }
    }

    private void start(SharedSearch.Result found) {
        // Empty if host memory has the blocks or no room, or another request reads them.
        reading = starter.load(found);
        reading.ifPresent(loads::add);
        target = found.prefix().position();
    }

    /** Returns whether nothing is pinned any more. */
    boolean isReleased() {
        loads.removeIf(load -> !isCurrent(load) && load.isReleased());
        return loads.isEmpty();
    }

    private boolean isCurrent(StorePrefetch load) {
        return reading.filter(each -> each == load).isPresent();
    }
}
