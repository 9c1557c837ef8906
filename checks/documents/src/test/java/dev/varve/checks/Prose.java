package dev.varve.checks;

import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The sentences of a document in Markdown, without its code. A name in code type is replaced by
 * {@value #NAME}, since sentences need a word there. Each heading, paragraph and cell of a table is
 * a paragraph of the text.
 */
final class Prose {
    /** Stands for code, which no check looks at. */
    static final String NAME = "Varve";

    private static final Parser PARSER =
            Parser.builder()
                    .extensions(List.of(TablesExtension.create()))
                    .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
                    .build();

    /** Names of files and addresses, which are written without code type in links. */
    private static final Pattern FILE = Pattern.compile("[\\w./-]+\\.(md|html|txt)|https?://\\S+");

    private final StringBuilder text = new StringBuilder();
    private final NavigableMap<Integer, Integer> lines = new TreeMap<>();
    private final List<Span> names = new ArrayList<>();

    /** Part of the text. */
    private record Span(int begin, int end) {}

    private Prose() {}

    /** Reads a document. */
    static Prose of(String markdown) {
        Prose prose = new Prose();
        parse(markdown).accept(prose.new Blocks());
        return prose;
    }

    /** Parses a document. */
    static Node parse(String markdown) {
        return PARSER.parse(markdown);
    }

    /** Returns the sentences. */
    String text() {
        return text.toString();
    }

    /** Returns the line of the document, from 1, from which a part of the text comes. */
    int line(int offset) {
        return lines.floorEntry(offset).getValue();
    }

    /** Whether a part of the text has or touches a name in code type. */
    boolean touchesName(int begin, int end) {
        return names.stream().anyMatch(each -> each.begin <= end + 1 && begin <= each.end + 1);
    }

    private final class Blocks extends AbstractVisitor {
        @Override
        public void visit(Paragraph paragraph) {
            sentence(paragraph);
        }

        @Override
        public void visit(Heading heading) {
            sentence(heading);
        }

        @Override
        public void visit(CustomNode node) {
            if (node instanceof TableCell) {
                sentence(node);
            } else {
                visitChildren(node);
            }
        }

        private void sentence(Node block) {
            visitChildren(block);
            text.append("\n\n");
        }

        @Override
        public void visit(Text node) {
            mark(node);
            if (FILE.matcher(node.getLiteral()).matches()) {
                name();
            } else {
                text.append(node.getLiteral());
            }
        }

        @Override
        public void visit(Code code) {
            mark(code);
            name();
        }

        @Override
        public void visit(SoftLineBreak node) {
            text.append(' ');
        }

        @Override
        public void visit(HardLineBreak node) {
            text.append(' ');
        }

        private void name() {
            names.add(new Span(text.length(), text.length() + NAME.length()));
            text.append(NAME);
        }

        private void mark(Node node) {
            node.getSourceSpans().stream()
                    .findFirst()
                    .ifPresent(span -> lines.put(text.length(), span.getLineIndex() + 1));
        }
    }
}
