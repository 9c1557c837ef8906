package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The checks that every view of the page must pass. */
final class PageCheck {
    private static final Path AXE =
            Path.of(
                    System.getProperty("varve.test.root"),
                    "platform/page/node_modules/axe-core/axe.min.js");

    private PageCheck() {}

    /** Nothing that a person with a screen reader or weak eyes would stumble over. */
    static void isReadable(Page page) {
        try {
            page.evaluate(Files.readString(AXE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Object found =
                page.evaluate(
                        """
                        async () => (await axe.run(document)).violations
                            .filter(each => ['serious', 'critical'].includes(each.impact))
                            .map(each => each.id + ': ' + each.nodes.map(node => node.html).join(' '))
                        """);
        assertEquals(List.of(), found);
    }

    /** Nothing is beside the screen. */
    static void fits(Page page) {
        assertEquals(
                page.viewportSize().width,
                ((Number) page.evaluate("document.scrollingElement.scrollWidth")).intValue());
    }
}
