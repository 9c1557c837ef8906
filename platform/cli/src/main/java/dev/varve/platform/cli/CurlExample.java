package dev.varve.platform.cli;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Shell command that sends a question to a server. */
final class CurlExample {
    private CurlExample() {}

    /**
     * Returns the command in lines.
     *
     * @param server address of the server
     * @param withKey whether the server requires an API key; the line shows its place, not the key
     */
    static List<String> lines(URI server, boolean withKey) {
        List<String> lines = new ArrayList<>();
        lines.add("curl " + server + "/v1/chat/completions -H 'Content-Type: application/json' \\");
        if (withKey) {
            lines.add("     -H 'Authorization: Bearer YOUR_KEY' \\");
        }
        lines.add(
                "     -d '{\"messages\": [{\"role\": \"user\", \"content\": \"What is 7 + 5?\"}],"
                        + " \"temperature\": 0}'");
        return lines;
    }
}
