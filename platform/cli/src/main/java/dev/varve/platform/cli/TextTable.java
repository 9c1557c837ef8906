package dev.varve.platform.cli;

import dev.varve.platform.log.ControlCharacters;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Table of cells in columns as wide as necessary. Cells may come from files: control characters in
 * them do not reach the terminal.
 */
final class TextTable {
    private static final String GAP = "  ";

    /**
     * @param columns cells, which share the width of their column, except the last
     */
    private record Row(List<String> columns) {}

    private final List<Row> rows = new ArrayList<>();

    /** Adds a row whose cells are aligned. */
    void row(String... cells) {
        List<String> columns = new ArrayList<>();
        for (String cell : cells) {
            columns.add(printable(cell));
        }
        rows.add(new Row(columns));
    }

    /** Adds a row with a text that spans all columns but the first. */
    void line(String first, String text) {
        row(first, text);
    }

    /** Returns the rows with {@code indent} before each. */
    List<String> lines(String indent) {
        List<Integer> widths = new ArrayList<>();
        for (Row row : rows) {
            for (int column = 0; column < row.columns().size() - 1; column++) {
                if (widths.size() == column) {
                    widths.add(0);
                }
                widths.set(column, Math.max(widths.get(column), width(row.columns().get(column))));
            }
        }
        return rows.stream().map(row -> indent + line(row, widths)).toList();
    }

    private static String line(Row row, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        int last = row.columns().size() - 1;
        for (int column = 0; column < last; column++) {
            String cell = row.columns().get(column);
            line.append(cell)
                    .append(
                            String.join(
                                    "", Collections.nCopies(widths.get(column) - width(cell), " ")))
                    .append(GAP);
        }
        return line.append(row.columns().get(last)).toString().stripTrailing();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    private static String printable(String text) {
        return ControlCharacters.replace(text.strip().replaceAll("\\s*\\R\\s*", " "), '?');
    }
}
