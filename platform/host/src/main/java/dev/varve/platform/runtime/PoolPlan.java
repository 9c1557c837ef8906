package dev.varve.platform.runtime;

import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Planned bounds of the sequences' attention cache, computed before anything is loaded.
 *
 * @param options paging options of the engine; empty if sequences have a slot for each token
 * @param contextTokens most tokens of a sequence
 * @param pages host memory for pages outside the pools
 * @param remarks notes and warnings for the operator
 */
public record PoolPlan(
        Optional<PagingOptions> options, int contextTokens, HostPageMemory pages, Remarks remarks) {
    /** Not requested. */
    public static final PoolPlan NONE =
            new PoolPlan(Optional.empty(), 0, HostPageMemory.NONE, Remarks.NONE);

    /**
     * Host memory for pages, on this machine.
     *
     * @param mostBytes need if every sequence reaches its full length
     * @param leftBytes memory that the model and cached prefixes leave free; empty if unknown
     */
    public record HostPageMemory(long mostBytes, OptionalLong leftBytes) {
        /** No page is in host memory. */
        static final HostPageMemory NONE = new HostPageMemory(0, OptionalLong.empty());

        private boolean fit() {
            return leftBytes.isEmpty() || mostBytes <= leftBytes.getAsLong();
        }
    }

    /**
     * Messages for the operator.
     *
     * @param notes notes for the operator
     * @param warnings differences from the request
     */
    public record Remarks(List<String> notes, List<String> warnings) {
        static final Remarks NONE = new Remarks(List.of(), List.of());

        /** Copies the lists. */
        public Remarks {
            notes = List.copyOf(notes);
            warnings = List.copyOf(warnings);
        }
    }

    /** Checks that nothing is missing. */
    public PoolPlan {
        Objects.requireNonNull(options);
        Objects.requireNonNull(pages);
        Objects.requireNonNull(remarks);
    }

    /** Returns a plan without a pool for a request that cannot be met. */
    static PoolPlan none(String warning) {
        return new PoolPlan(
                Optional.empty(), 0, HostPageMemory.NONE, new Remarks(List.of(), List.of(warning)));
    }

    /** Returns a copy with host memory for pages; warns if it does not suffice. */
    PoolPlan with(HostPageMemory other) {
        List<String> warnings = new ArrayList<>(remarks.warnings());
        if (!other.fit()) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "%s: pages may take %s of host memory, but only %s are free after"
                                    + " loading the model; see %s and %s",
                            Setting.KVFLASH,
                            ByteCount.format(other.mostBytes()),
                            ByteCount.format(Math.max(0, other.leftBytes().getAsLong())),
                            Setting.CONTEXT_TOKENS,
                            Setting.PARALLEL));
        }
        return new PoolPlan(options, contextTokens, other, new Remarks(remarks.notes(), warnings));
    }

    /** Whether the cache is bounded. */
    public boolean isPresent() {
        return options.isPresent();
    }

    /** Returns one line for messages; empty if the cache is not bounded. */
    public Optional<String> describe() {
        return options.map(this::describe);
    }

    private String describe(PagingOptions bounded) {
        return String.format(
                Locale.ROOT,
                "resident pool %d tokens per sequence (of up to %d), tau=%d, policy=%s; %s",
                bounded.poolTokens(),
                contextTokens,
                bounded.tau(),
                bounded.policy().word(),
                pages.mostBytes() == 0 ? "no page is paged out" : describePages());
    }

    private String describePages() {
        String most = "pages in host memory at most " + ByteCount.format(pages.mostBytes());
        return pages.leftBytes().isEmpty()
                ? most
                : most
                        + " of "
                        + ByteCount.format(Math.max(0, pages.leftBytes().getAsLong()))
                        + " free after loading the model";
    }
}
