struct format { char *charset; char *title; int kind; };
