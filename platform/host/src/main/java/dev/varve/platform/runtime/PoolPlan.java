package dev.varve.platform.runtime;

import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the attention cache of sequences is bounded, worked out before anything is loaded.
 *
 * @param options what an engine is told; empty where sequences have a slot for each token
 * @param contextTokens most tokens of a sequence
 * @param pages host memory for what leaves the pools
 * @param remarks how it came about, for people
 */
public record PoolPlan(
        Optional<PagingOptions> options, int contextTokens, Pages pages, Remarks remarks) {
    /** Nobody asked for it. */
    public static final PoolPlan NONE = new PoolPlan(Optional.empty(), 0, Pages.NONE, Remarks.NONE);

    /**
     * Host memory for pages, on this machine.
     *
     * @param mostBytes where every sequence is as long as it may get
     * @param leftBytes what the model and computed prompts leave free; empty if nobody knows
     */
    public record Pages(long mostBytes, OptionalLong leftBytes) {
        /** No page leaves the devices. */
        static final Pages NONE = new Pages(0, OptionalLong.empty());

        private boolean fit() {
            return leftBytes.isEmpty() || mostBytes <= leftBytes.getAsLong();
        }
    }

    /**
     * What people are told.
     *
     * @param notes what they may want to know
     * @param warnings what is not as it was asked for
     */
    public record Remarks(List<String> notes, List<String> warnings) {
        static final Remarks NONE = new Remarks(List.of(), List.of());

        /** Copies the texts. */
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

    /** One that was asked for in vain. */
    static PoolPlan none(String warning) {
        return new PoolPlan(
                Optional.empty(), 0, Pages.NONE, new Remarks(List.of(), List.of(warning)));
    }

    /** The same with host memory for pages; warns if there is not enough of it. */
    PoolPlan with(Pages other) {
        List<String> warnings = new ArrayList<>(remarks.warnings());
        if (!other.fit()) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "%s: pages may take %s of host memory, and %s are free beside the"
                                    + " model; see %s and %s",
                            Setting.KVFLASH,
                            MemoryPlan.mebibytes(other.mostBytes()),
                            MemoryPlan.mebibytes(Math.max(0, other.leftBytes().getAsLong())),
                            Setting.CONTEXT_TOKENS,
                            Setting.PARALLEL));
        }
        return new PoolPlan(options, contextTokens, other, new Remarks(remarks.notes(), warnings));
    }

    /** Whether the cache is bounded. */
    public boolean isPresent() {
        return options.isPresent();
    }

    /** One line for people; empty where the cache is not bounded. */
    public Optional<String> describe() {
        return options.map(this::describe);
    }

    private String describe(PagingOptions bounded) {
        return String.format(
                Locale.ROOT,
                "resident pool %d tokens of up to %d of a sequence, tau=%d, policy=%s; %s",
                bounded.poolTokens(),
                contextTokens,
                bounded.tau(),
                bounded.policy().word(),
                pages.mostBytes() == 0 ? "no page leaves it" : describePages());
    }

    private String describePages() {
        String most = "pages in host memory at most " + MemoryPlan.mebibytes(pages.mostBytes());
        return pages.leftBytes().isEmpty()
                ? most
                : most
                        + " of "
                        + MemoryPlan.mebibytes(Math.max(0, pages.leftBytes().getAsLong()))
                        + " that are free beside the model";
    }
}
