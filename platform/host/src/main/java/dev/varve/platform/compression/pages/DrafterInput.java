package dev.varve.platform.compression.pages;

/**
 * Tokens of a sequence as the drafter reads them. Not copied.
 *
 * @param ids token ids of the drafter
 * @param pages for each drafter token the page that it belongs to, ascending; behind the last page
 *     if it belongs to none
 * @param count number of pages of the sequence
 */
record DrafterInput(int[] ids, int[] pages, int count) {
    /**
     * Returns the mean score of each page's tokens; 0, which is the mean of all, for pages without
     * tokens.
     */
    float[] means(double[] scores) {
        double[] sums = new double[count];
        int[] tokens = new int[count];
        for (int token = 0; token < scores.length; token++) {
            int page = pages[token];
            if (page < count) {
                sums[page] += scores[token];
                tokens[page]++;
            }
        }
        float[] means = new float[count];
        for (int page = 0; page < count; page++) {
            means[page] = tokens[page] == 0 ? 0 : (float) (sums[page] / tokens[page]);
        }
        return means;
    }
}
