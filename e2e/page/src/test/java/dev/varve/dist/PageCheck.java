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
                    "platform/server/page/node_modules/axe-core/axe.min.js");

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
                            .map(each => each.id + ': ' + each.nodes.map(node => node.html).join(' '))
                        """);
        assertEquals(List.of(), found);
    }

    /** Everything that is tapped has 44 pixels, on a touch screen; links in a text excepted. */
    static void isTouchable(Page page) {
        Object small =
                page.evaluate(
                        """
                        () => [...document.querySelectorAll('button, summary, input, select, textarea, a:not(.rich a)')]
                            .filter(each => each.checkVisibility({visibilityProperty: true}) && !each.closest('[inert]'))
                            .filter(each => !each.matches('.skip, [type=checkbox]'))
                            .map(each => [each, each.getBoundingClientRect()])
                            .filter(([, {width, height}]) => width > 0 && (width < 44 || height < 44))
                            .map(([each, {width, height}]) => `${width} x ${height}: ${each.outerHTML}`)
                        """);
        assertEquals(List.of(), small);
    }

    /**
     * Nothing is beside the screen, and the page itself does not scroll: each absolutely placed
     * element is within the element that scrolls it.
     */
    static void fits(Page page) {
        Object found =
                page.evaluate(
                        """
                        () => {
                            const root = document.scrollingElement;
                            const scrolls = element =>
                                /auto|scroll/.test(getComputedStyle(element).overflow);
                            const outside = [...document.body.querySelectorAll('main *')]
                                .filter(each => getComputedStyle(each).position === 'absolute')
                                .filter(each => {
                                    let scroller = each.parentElement;
                                    while (scroller && !scrolls(scroller)) {
                                        scroller = scroller.parentElement;
                                    }
                                    return scroller && each.offsetParent && !scroller.contains(each.offsetParent);
                                })
                                .map(each => each.outerHTML);
                            return [root.scrollWidth, root.scrollHeight, outside.join(' ')].join(', ');
                        }
                        """);
        assertEquals(page.viewportSize().width + ", " + page.viewportSize().height + ", ", found);
    }
}
