package dev.varve.platform.shard;

/**
 * Drops a page that is not needed any more: the shard frees the rows that it holds under this name,
 * if any.
 *
 * @param page name of the page
 */
public record HostPageFree(long page) implements KvRowOperation {
    /** Checks the name. */
    public HostPageFree {
        Pages.requireName(page);
    }
}
