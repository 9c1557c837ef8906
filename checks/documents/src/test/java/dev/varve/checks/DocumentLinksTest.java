package dev.varve.checks;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.text.TextContentRenderer;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.xml.parsers.DocumentBuilderFactory;

/** Links between the documents lead to files and headings that exist. */
class DocumentLinksTest {
    private static final TextContentRenderer PLAIN = TextContentRenderer.builder().build();

    /** Targets of links and pictures, and the anchors of headings. */
    private record Parts(List<String> links, List<String> pictures, Set<String> anchors) {
        static Parts of(Path document) throws IOException {
            Parts parts = new Parts(new ArrayList<>(), new ArrayList<>(), new HashSet<>());
            Prose.parse(Files.readString(document))
                    .accept(
                            new AbstractVisitor() {
                                @Override
                                public void visit(Link link) {
                                    parts.links.add(link.getDestination());
                                    visitChildren(link);
                                }

                                @Override
                                public void visit(Image image) {
                                    parts.pictures.add(image.getDestination());
                                }

                                @Override
                                public void visit(Heading heading) {
                                    parts.anchors.add(anchor(heading));
                                    visitChildren(heading);
                                }
                            });
            return parts;
        }
    }

    /** Returns the anchor that GitHub gives a heading. */
    private static String anchor(Node heading) {
        return PLAIN.render(heading)
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Test
    void everyLinkHasATarget() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : Documents.all()) {
            for (String link : Parts.of(document).links()) {
                if (!link.contains("://") && !hasTarget(document, link)) {
                    broken.add(Documents.name(document) + ": " + link);
                }
            }
        }

        assertEquals(List.of(), broken);
    }

    private static boolean hasTarget(Path document, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]).normalize();
        return Files.exists(file)
                && (parts.length == 1 || Parts.of(file).anchors().contains(parts[1]));
    }

    @Test
    void everyPictureIsWellFormed() throws IOException {
        Set<Path> pictures = new HashSet<>();
        for (Path document : Documents.all()) {
            for (String picture : Parts.of(document).pictures()) {
                pictures.add(document.resolveSibling(picture).normalize());
            }
        }

        assertTrue(pictures.size() >= 2, pictures.toString());
        for (Path picture : pictures) {
            assertDoesNotThrow(
                    () ->
                            DocumentBuilderFactory.newDefaultInstance()
                                    .newDocumentBuilder()
                                    .parse(picture.toFile()),
                    picture.toString());
        }
    }
}
