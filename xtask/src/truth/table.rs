//! Tables: of a terminal and of a page, from the same rows.

/// Rows of cells; the first row is the head, the first column is text, the others are numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a head.
    pub(super) fn new(head: &[&str]) -> Table {
        Table { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    /// One more row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// As Markdown with columns that are aligned in the source too.
    pub(super) fn markdown(&self) -> String {
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|i| self.rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0).max(3))
            .collect();
        let line = |row: &[String]| {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
                let blanks = " ".repeat(width - cell.chars().count());
                if i == 0 { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule: Vec<String> = (widths.iter().enumerate())
            .map(|(i, &width)| if i == 0 { "-".repeat(width) } else { "-".repeat(width - 1) + ":" })
            .collect();
        let body: String = self.rows[1..].iter().map(|row| line(row)).collect();
        line(&self.rows[0]) + &line(&rule) + &body
    }
}

/// Numbers as cells.
pub(super) fn cells<const N: usize>(numbers: [usize; N]) -> [String; N] {
    numbers.map(|number| number.to_string())
}
