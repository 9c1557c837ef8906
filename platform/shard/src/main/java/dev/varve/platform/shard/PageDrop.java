package dev.varve.platform.shard;

/**
 * A page that nobody needs any more: what a shard keeps under its name goes, if there is anything.
 *
 * @param page name of the page
 */
public record PageDrop(long page) implements RowMove {
    /** Checks the name. */
    public PageDrop {
        Pages.requireName(page);
    }
}
