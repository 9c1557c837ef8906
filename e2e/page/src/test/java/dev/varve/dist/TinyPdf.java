package dev.varve.dist;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes small PDF files with a line of text on each page. */
final class TinyPdf {
    private TinyPdf() {}

    /**
     * A file with these pages.
     *
     * @param catalog further entries of its catalog, such as an action for its opening
     */
    static byte[] of(String catalog, String... pages) {
        List<String> objects = new ArrayList<>();
        StringBuilder kids = new StringBuilder();
        for (int page = 0; page < pages.length; page++) {
            kids.append(4 + 2 * page).append(" 0 R ");
        }
        objects.add("<< /Type /Catalog /Pages 2 0 R " + catalog + " >>");
        objects.add("<< /Type /Pages /Count " + pages.length + " /Kids [" + kids + "] >>");
        objects.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
        for (String page : pages) {
            String content = "BT /F1 12 Tf 20 250 Td (" + page + ") Tj ET";
            objects.add(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources << /Font <<"
                            + " /F1 3 0 R >> >> /Contents "
                            + (objects.size() + 2)
                            + " 0 R >>");
            objects.add(
                    "<< /Length " + content.length() + " >>\nstream\n" + content + "\nendstream");
        }
        return file(objects).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String file(List<String> objects) {
        StringBuilder file = new StringBuilder("%PDF-1.4\n");
        StringBuilder table = new StringBuilder("0000000000 65535 f \n");
        for (int i = 0; i < objects.size(); i++) {
            table.append(String.format(Locale.ROOT, "%010d 00000 n \n", file.length()));
            file.append(i + 1).append(" 0 obj\n").append(objects.get(i)).append("\nendobj\n");
        }
        int at = file.length();
        int size = objects.size() + 1;
        return file.append("xref\n0 ")
                .append(size)
                .append('\n')
                .append(table)
                .append("trailer << /Size ")
                .append(size)
                .append(" /Root 1 0 R >>\nstartxref\n")
                .append(at)
                .append("\n%%EOF\n")
                .toString();
    }
}
